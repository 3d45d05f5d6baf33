import { referenceOf, referencePath } from './by-reference.ts'
import { inCollection } from './collection.ts'
import { fetch } from './fetch.ts'
import type { ResourceOperation } from './operation.ts'

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
