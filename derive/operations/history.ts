import { cutParameters } from '../parameters.ts'
import { readCut } from '../query.ts'
import { changeExample } from '../schemas/changes.ts'
import { schemaName } from '../words.ts'
import { inCollection } from './collection.ts'
import type { ResourceOperation } from './operation.ts'
import { commonFacts, idOf, readHeaders, recordPath, refusalOf } from './record.ts'

export const history: ResourceOperation<'read'> = (definition, base) => ({
  ...commonFacts(definition, 'VIEW'),
  method: 'GET',
  path: `${recordPath(definition, base)}/history`,
  summary: `Read the history of the ${definition.one}`,
  description: [
    `Tells every change of the ${definition.one}, the newest first, in the shape of \`/v1/changes\`. One that was deleted has its history still.`,
  ],
  pathParameters: [idOf(definition)],
  parameters: cutParameters('Changes'),
  refusals: ['not_found', 'precondition_failed'],
  refused: { invalid_parameter: () => refusalOf(() => readCut(new Map([['limit', '0']]))) },
  answer: {
    description: 'Up to a page of changes, and how many there are in all.',
    headers: [...readHeaders, 'Links'],
    schema: `${schemaName(definition)}HistoryPage`,
    showsRecords: true,
    examples: {
      newest: {
        summary: 'The newest change',
        description: 'An update, and the create before it on the next page.',
        value: { data: [changeExample(definition)], meta: { total: 2, limit: 1, offset: 0 } },
      },
    },
  },
  collection: inCollection('uses', {
    title: 'The history begins with the create',
    checks: ["pm.expect(data.at(-1).action).to.equal('created')"],
  }),
})
