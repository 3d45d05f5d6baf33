import { referenceOf, referencePath } from './by-reference.ts'
import { inCollection } from './collection.ts'
import { remove } from './delete.ts'
import type { ResourceOperation } from './operation.ts'

/** Deletes a record by the caller's own reference. */
export const deleteByRef: ResourceOperation<'write'> = (definition, base) => {
  const byId = remove(definition, base)
  return {
    ...byId,
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
  }
}
