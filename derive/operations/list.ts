import { pageSizeDefault } from '#registry/limits.ts'
import { recordExample } from '../examples.ts'
import { listParameters } from '../parameters.ts'
import { readListing } from '../query.ts'
import { formatName, schemaName } from '../words.ts'
import { inCollection } from './collection.ts'
import type { ResourceOperation } from './operation.ts'
import { collectionPath, commonFacts, readHeaders, refusalOf } from './record.ts'

export const list: ResourceOperation<'read'> = (definition, base) => ({
  ...commonFacts(definition, 'VIEW'),
  method: 'GET',
  path: collectionPath(definition, base),
  summary: `List ${formatName(definition.name)}`,
  description: [
    `Lists the company’s ${formatName(definition.name)}, ${pageSizeDefault} a page unless \`limit\` says otherwise. \`meta.total\` counts all that match, whatever the page. Deleted ones are not listed.`,
  ],
  parameters: listParameters(definition),
  refusals: ['precondition_failed'],
  refused: { invalid_parameter: () => refusalOf(() => readListing(new Map([['limit', '0']]), definition)) },
  answer: {
    description: `Up to a page of ${formatName(definition.name)}, and how many match in all.`,
    headers: [...readHeaders, 'Links'],
    schema: `${schemaName(definition)}Page`,
    showsRecords: true,
    examples: {
      first_page: {
        summary: 'The first page',
        description: 'All that match fit on one page: `total` is the number of records in `data`.',
        value: { data: [recordExample(definition)], meta: { total: 1, limit: pageSizeDefault, offset: 0 } },
      },
    },
  },
  collection: inCollection('uses', {
    title: 'The page says how many there are',
    checks: [
      "pm.expect(data).to.be.an('array')",
      'const { meta } = pm.response.json()',
      "pm.expect(meta).to.have.all.keys('total', 'limit', 'offset')",
      'pm.expect(meta.total).to.be.at.least(data.length)',
    ],
  }),
})
