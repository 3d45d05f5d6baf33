import type { Adapter, BenchRequest, RunTarget } from '../adapter.ts'
import { adapter as product } from '../adapters/product.ts'
import { newProject, searchWord, status } from '../scenario/choices.ts'

/**
 * As the product is asked, but what is created becomes what is looked for: as many records of the status and with the
 * word as there are among loaded ones.
 */
export const adapter: Adapter = {
  ...product,
  'create-keyed': (about) => (count) => create(about, '/v1/projects', count, formatProject(about, count)),
  // The same for records that nobody looks for: a process gets warm, and what is measured does not grow.
  create: (about) => (count) => create(about, '/v1/clients', count, { name: `Warm ${count}` }),
}

const create = (about: RunTarget, path: string, count: number, body: object): BenchRequest => ({
  method: 'POST',
  path,
  headers: {
    Authorization: `Bearer ${about.tokens[company]}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': `fresh-${path}-${count}`,
  },
  body: JSON.stringify(body),
  expect: { status: 201, begins: '{"data":{"id":', ends: ',"created":true,"dry_run":false}}' },
})

const company = 1

const formatProject = ({ layout }: RunTarget, count: number): object => ({
  ...newProject(layout, company, count),
  name: `Harbour Road ${count % 6 === 0 ? searchWord : 'roof renewal'} ${count}`,
  status: count % 5 === 0 ? status : 'BIDDING',
})
