import assert from 'node:assert/strict'
import createClient, { type ClientOptions } from 'openapi-fetch'
import type * as complete from './generated/complete.js'
import type { components, paths } from './generated/openapi-typescript.js'
import { toldTogether } from './told.js'

/** The calls of a client by openapi-typescript and openapi-fetch. */

const options: ClientOptions = {
  baseUrl: process.env.BASE_URL ?? '',
  headers: { Authorization: `Bearer ${process.env.TOKEN}` },
}
const client = createClient<paths>(options)

const page = await client.GET('/v1/projects', { params: { query: { status: 'ON_HOLD', limit: 5 } } })
assert.deepEqual(
  page.data?.data.map(({ name, status }) => [name, status]),
  [['On hold', 'ON_HOLD']],
)

const body: components['schemas']['ProjectCreate'] = {
  name: 'Thirty million',
  contract_minor: 3_000_000_000,
  address: { city: 'Bath', country: 'GB' },
}
const header = { 'Idempotency-Key': crypto.randomUUID() }
const preview = await client.POST('/v1/projects', { body, params: { header: { 'X-Dry-Run': '1' } } })
assert.deepEqual(preview.data?.data, { id: null, created: false, dry_run: true })
const created = await client.POST('/v1/projects', { body, params: { header } })
const again = await client.POST('/v1/projects', { body, params: { header } })
const id = created.data?.data.id ?? 0
assert.ok(id > 0)
assert.equal(again.data?.data.id, id)

const path = { id }
const fetched = await client.GET('/v1/projects/{id}', { params: { path } })
assert.equal(fetched.data?.data.contract_minor, 3_000_000_000)
assert.equal(fetched.data?.data.address?.city, 'Bath')

const ifMatch = { 'If-Match': fetched.response.headers.get('ETag') ?? '' }
const updated = await client.PATCH('/v1/projects/{id}', { params: { path, header: ifMatch }, body: { notes: 'Seen' } })
assert.deepEqual(updated.data?.data.changed, ['notes'])
const late = await client.PATCH('/v1/projects/{id}', { params: { path, header: ifMatch }, body: { notes: 'Late' } })
assert.equal(late.error?.code, 'precondition_failed')

const gone = await client.DELETE('/v1/projects/{id}', { params: { path, header: { 'X-Dry-Run': '1' } } })
assert.deepEqual([gone.data?.data.deleted, gone.data?.data.would_delete], [false, []])

// `fields` is a parameter of the complete document alone, whose lists promise no more than `id`.
const sparse = await createClient<complete.paths>(options).GET('/v1/projects', {
  params: { query: { q: 'On hold', fields: ['name'] } },
})
assert.deepEqual(
  sparse.data?.data.map(({ id, name, status }) => [id > 0, name, status]),
  [[true, 'On hold', undefined]],
)

const now = await client.GET('/v1/changes', { params: { query: { after: 'now' } } })
const batch = await client.POST('/v1/batch', {
  body: {
    mode: 'all',
    operations: [
      { op: 'create', records: 'clients', as: 'client', body: { name: 'Harbour Trust' } },
      { op: 'create', records: 'projects', body: { name: 'Pier', client_id: { $ref: 'client' } } },
    ],
  },
})
assert.deepEqual(
  batch.data?.data.operations.map(({ status }) => status),
  [201, 201],
)
// A change is told once no older transaction of the server can overtake it, and other tests have long ones: `now` can lie
// before the project above.
const told = await toldTogether(
  now.data?.meta.next ?? '',
  async (after) => (await client.GET('/v1/changes', { params: { query: { after, wait: 10 } } })).data,
)
const owner = told.find(({ records }) => records === 'clients')
const pier = told.find(({ records, write_id }) => records === 'projects' && write_id === owner?.write_id)
assert.ok(owner?.records === 'clients' && pier?.records === 'projects')
assert.equal(pier.record?.client_id, owner.record?.id)
