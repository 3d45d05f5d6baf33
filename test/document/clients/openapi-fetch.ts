import assert from 'node:assert/strict'
import createClient, { type ClientOptions } from 'openapi-fetch'
import type { components, paths } from './generated/openapi-typescript.js'

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
