import type { Adapter, BenchRequest, RunTarget } from '../adapter.ts'
import { adapter as product } from '../adapters/product.ts'
import { newProject, searchWord, status } from '../scenario/choices.ts'

/**
 * The requests of the product, but created records also match the searches: as many have the status and the word as
 * among loaded ones.
 */
export const adapter: Adapter = {
  ...product,
  'create-keyed': (about) => (count) => create(about, '/v1/projects', count, formatProject(about, count)),
  // Creates records of another resource, to warm up the process without growing the measured table.
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
