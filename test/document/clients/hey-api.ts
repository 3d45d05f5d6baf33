import assert from 'node:assert/strict'
import { client } from './generated/hey-api/client.gen.js'
import * as api from './generated/hey-api/index.js'
import { toldTogether } from './told.js'

/** The calls of a client by @hey-api/openapi-ts. */

client.setConfig({ baseUrl: process.env.BASE_URL ?? '', auth: process.env.TOKEN ?? '' })

const page = await api.projectsList({ query: { status: 'ON_HOLD', limit: 5, sort: ['-name', 'id'] } })
assert.deepEqual(
  page.data?.data.map(({ name }) => name),
  ['On hold'],
)

const body: api.ProjectCreate = {
  name: 'Thirty million',
  contract_minor: 3_000_000_000,
  address: { city: 'Bath', country: 'GB' },
}
const headers = { 'Idempotency-Key': crypto.randomUUID() }
const preview = await api.projectsCreate({ body, headers: { 'X-Dry-Run': '1' } })
assert.deepEqual(preview.data?.data, { id: null, created: false, dry_run: true })
const created = await api.projectsCreate({ body, headers })
const again = await api.projectsCreate({ body, headers })
const id = created.data?.data.id ?? 0
assert.ok(id > 0)
assert.equal(again.data?.data.id, id)

const path = { id }
const fetched = await api.projectsFetch({ path })
assert.equal(fetched.data?.data.contract_minor, 3_000_000_000)
assert.equal(fetched.data?.data.address?.city, 'Bath')

const ifMatch = { 'If-Match': fetched.response?.headers.get('ETag') ?? '' }
const updated = await api.projectsUpdate({ path, headers: ifMatch, body: { notes: 'Seen' } })
assert.deepEqual(updated.data?.data.changed, ['notes'])
const late = await api.projectsUpdate({ path, headers: ifMatch, body: { notes: 'Late' } })
assert.equal(late.error?.code, 'precondition_failed')

const gone = await api.projectsDelete({ path, headers: { 'X-Dry-Run': '1' } })
assert.deepEqual([gone.data?.data.deleted, gone.data?.data.would_delete], [false, []])

const now = await api.changes({ query: { after: 'now' } })
const operations: api.BatchOperationInput[] = [
  { op: 'create', records: 'clients', as: 'client', body: { name: 'Harbour Trust' } },
  { op: 'create', records: 'projects', body: { name: 'Pier', client_id: { $ref: 'client' } } },
]
const batch = await api.batch({ body: { mode: 'all', operations } })
assert.deepEqual(
  batch.data?.data.operations.map(({ status }) => status),
  [201, 201],
)
// A change is told once no older transaction of the server can overtake it, and other tests have long ones: `now` can lie
// before the project above.
const told = await toldTogether(
  now.data?.meta.next ?? '',
  async (after) => (await api.changes({ query: { after, wait: 10 } })).data,
)
const owner = told.find(({ records }) => records === 'clients')
const pier = told.find(({ records, write_id }) => records === 'projects' && write_id === owner?.write_id)
assert.ok(owner?.records === 'clients' && pier?.records === 'projects')
assert.equal(pier.record?.client_id, owner.record?.id)
