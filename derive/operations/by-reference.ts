import { externalRef, referenceField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { kindOf } from '#registry/fields/index.ts'
import { inCollection } from './collection.ts'
import { remove } from './delete.ts'
import { fetch } from './fetch.ts'
import type { PathParameter, ResourceOperation } from './operation.ts'
import { collectionPath } from './record.ts'

/** The operations on a record by the caller’s own reference. `upsert.ts` has the third. */

/** Returns a record by the caller's own reference. */
export const fetchByRef: ResourceOperation<'read'> = (definition, base) => ({
  ...fetch(definition, base),
  path: referencePath(definition, base),
  summary: `Fetch the ${definition.one} with your reference`,
  description: [
    `Fetches the live ${definition.one} whose \`external_ref\` is the one in the path, as fetch by id does.`,
  ],
  pathParameters: [referenceOf(definition)],
  collection: inCollection('uses', {
    offers: ['If-None-Match'],
    title: 'It has the reference',
    checks: ["pm.expect(data.external_ref).to.equal('postman-sample')"],
  }),
})

/** Deletes a record by the caller's own reference. */
export const deleteByRef: ResourceOperation<'write'> = (definition, base) => ({
  ...remove(definition, base),
  path: referencePath(definition, base),
  summary: `Delete the ${definition.one} with your reference`,
  description: [
    `Deletes the live ${definition.one} whose \`external_ref\` is the one in the path, as delete by id does. Its reference is free then.`,
  ],
  pathParameters: [referenceOf(definition)],
  collection: inCollection('removes', {
    offers: ['Idempotency-Key', 'X-Dry-Run', 'If-Match'],
    title: `The ${definition.one} is deleted`,
    checks: ['pm.expect(data.deleted).to.equal(true)'],
  }),
})

export const referencePath = (definition: Definition, base: string): string =>
  `${collectionPath(definition, base)}/by/${referenceField}/{value}`

/** Returns the path of a record that a call of this path creates. */
export const createdPath = (path: string, id: number): string => `${path.split('/by/', 1)[0]}/${id}`

export function referenceOf(definition: Definition): PathParameter {
  return {
    name: 'value',
    is: {
      about: `Your own identifier of the ${definition.one}, its \`${referenceField}\`, percent-encoded. Capitals do not count, nor do the form of a final sigma, how accents are composed, and deleted records.`,
      schema: kindOf(externalRef).schema(externalRef),
      example: kindOf(externalRef).example(externalRef) as string,
      field: referenceField,
    },
    sent: { value: 'postman-sample', about: `Your own identifier of the ${definition.one}.` },
  }
}
