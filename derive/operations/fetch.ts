import { recordExample, strangeName } from '../examples.ts'
import { fieldsParameter } from '../parameters.ts'
import { readFields } from '../query.ts'
import { aOne, schemaName } from '../words.ts'
import { idVariable, inCollection, tagVariable } from './collection.ts'
import type { ResourceOperation } from './operation.ts'
import { commonFacts, idOf, readHeaders, recordPath, refusalOf } from './record.ts'

export const fetch: ResourceOperation<'read'> = (definition, base) => ({
  ...commonFacts(definition, 'VIEW'),
  method: 'GET',
  path: recordPath(definition, base),
  summary: `Fetch ${aOne(definition)}`,
  description: [
    `Fetches the ${definition.one} as it is now. Its ETag saves the next transfer (\`If-None-Match\`) and guards an update (\`If-Match\`).`,
  ],
  pathParameters: [idOf(definition)],
  parameters: [fieldsParameter(definition)],
  refusals: ['not_found', 'precondition_failed'],
  refused: {
    invalid_parameter: () => {
      const fields = strangeName(Object.keys(definition.fields))
      return refusalOf(() => readFields(new Map([['fields', fields]]), definition))
    },
  },
  answer: {
    description: `The ${definition.one} with that id.`,
    headers: readHeaders,
    schema: `${schemaName(definition)}Envelope`,
    showsRecords: true,
    examples: {
      all_fields: {
        summary: 'All fields',
        description: 'Without the parameter `fields`.',
        value: { data: recordExample(definition) },
      },
    },
  },
  collection: inCollection('uses', {
    offers: ['If-None-Match'],
    title: `The ${definition.one} is the one asked for`,
    checks: [
      `pm.expect(data.id).to.equal(Number(pm.collectionVariables.get('${idVariable(definition)}')))`,
      `pm.collectionVariables.set('${tagVariable(definition)}', pm.response.headers.get('ETag'))`,
    ],
  }),
})
