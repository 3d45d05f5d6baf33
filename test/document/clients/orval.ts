import assert from 'node:assert/strict'
import * as api from './generated/orval.js'
import * as zod from './generated/orval-zod.js'
import { toldTogether } from './told.js'

/** The calls of a client by orval; its schemas for zod check every body before and every answer after. */

const signed = (headers: Record<string, string> = {}): RequestInit => ({
  headers: { Authorization: `Bearer ${process.env.TOKEN}`, ...headers },
})

const query = zod.ProjectsListQueryParams.parse({ status: 'ON_HOLD', limit: 5 })
const page = await api.projectsList(query, signed())
assert.equal(page.status, 200)
const projects = zod.ProjectsListResponse.parse(page.data).data
assert.deepEqual(
  projects.map(({ name, status }) => [name, status]),
  [['On hold', 'ON_HOLD']],
)

const body = zod.ProjectsCreateBody.parse({
  name: 'Thirty million',
  contract_minor: 3_000_000_000,
  address: { city: 'Bath', country: 'GB' },
})
const headers = { 'Idempotency-Key': crypto.randomUUID() }
const preview = await api.projectsCreate(body, {}, signed({ 'X-Dry-Run': '1' }))
assert.deepEqual(zod.ProjectsCreateResponse.parse(preview.data).data, { id: null, created: false, dry_run: true })
const created = await api.projectsCreate(body, {}, signed(headers))
const again = await api.projectsCreate(body, {}, signed(headers))
assert.equal(created.status, 201)
const id = zod.ProjectsCreateResponse.parse(created.data).data.id ?? 0
assert.ok(id > 0)
assert.equal(zod.ProjectsCreateResponse.parse(again.data).data.id, id)

const fetched = await api.projectsFetch(id, signed())
const project = zod.ProjectsFetchResponse.parse(fetched.data).data
assert.equal(project.contract_minor, 3_000_000_000)
assert.equal(project.address?.city, 'Bath')

const ifMatch = signed({ 'If-Match': fetched.headers.get('ETag') ?? '' })
const updated = await api.projectsUpdate(id, zod.ProjectsUpdateBody.parse({ notes: 'Seen' }), {}, ifMatch)
assert.deepEqual(zod.ProjectsUpdateResponse.parse(updated.data).data.changed, ['notes'])
const late = await api.projectsUpdate(id, { notes: 'Late' }, {}, ifMatch)
assert.equal(late.status === 412 && late.data.code, 'precondition_failed')

const gone = zod.ProjectsDeleteResponse.parse(
  (await api.projectsDelete(id, {}, signed({ 'X-Dry-Run': '1' }))).data,
).data
assert.deepEqual([gone.deleted, gone.would_delete], [false, []])

const now = zod.ChangesResponse.parse((await api.changes({ after: 'now' }, signed())).data)
const batch = zod.BatchBody.parse({
  mode: 'all',
  operations: [
    { op: 'create', records: 'clients', as: 'client', body: { name: 'Harbour Trust' } },
    { op: 'create', records: 'projects', body: { name: 'Pier', client_id: { $ref: 'client' } } },
  ],
})
const done = zod.BatchResponse.parse((await api.batch(batch, {}, signed())).data)
assert.deepEqual(
  done.data.operations.map(({ status }) => status),
  [201, 201],
)
// A change is told once no older transaction of the server can overtake it, and other tests have long ones: `now` can lie
// before the project above.
const told = await toldTogether(now.meta.next, async (after) =>
  zod.ChangesResponse.parse((await api.changes({ after, wait: 10 }, signed())).data),
)
const owner = told.find(({ records }) => records === 'clients')
const pier = told.find(({ records, write_id }) => records === 'projects' && write_id === owner?.write_id)
assert.ok(owner?.records === 'clients' && pier?.records === 'projects')
assert.equal(pier.record?.client_id, owner.record?.id)

// What the service refuses, the schema refuses: decimals, blanks, countries.
assert.equal(zod.EstimatesCreateBody.safeParse({ title: 'Wall', tax_pct: 8.875 }).success, true)
assert.equal(zod.EstimatesCreateBody.safeParse({ title: 'Wall', tax_pct: 7.12345 }).success, false)
assert.equal(zod.ProjectsCreateBody.safeParse({ name: ' ' }).success, false)
assert.equal(zod.ProjectsCreateBody.safeParse({ name: 'Wall', address: { country: 'XX' } }).success, false)
