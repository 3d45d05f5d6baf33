import type { About, Adapter } from '../adapter.ts'
import { adapter as product } from '../adapters/product.ts'
import { newProject, status, word } from '../scenario/choices.ts'

/**
 * As the product is asked, but what is created becomes what is looked for: as many records of the status and with the
 * word as there are among loaded ones.
 */
export const adapter: Adapter = {
  ...product,
  'create-keyed': (about) => (count) => ({
    method: 'POST',
    path: '/v1/projects',
    headers: {
      Authorization: `Bearer ${about.tokens[company]}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': `fresh-${count}`,
    },
    body: JSON.stringify(grown(about, count)),
    expect: { status: 201, begins: '{"data":{"id":', ends: ',"created":true,"dry_run":false}}' },
  }),
}

const company = 1

const grown = ({ layout }: About, count: number): object => ({
  ...newProject(layout, company, count),
  name: `Harbour Road ${count % 6 === 0 ? word : 'roof renewal'} ${count}`,
  status: count % 5 === 0 ? status : 'BIDDING',
})
