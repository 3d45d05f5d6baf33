import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { recordsBatchMax } from '#registry/limits.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person } from './stage.ts'

/** Several operations on records of one resource, all or none. */
let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
})
afterAll(() => stage.close())

type Headers = { [name: string]: string }
const batch = (
  operations: JsonObject[],
  { by = admin as Person, records = 'clients', query = '', headers = {} as Headers } = {},
) => by.ask('POST', `/console/records/${records}/batch${query}`, { operations }, headers)
const create = (name: string): JsonObject => ({ op: 'create', body: { name } })
const named = async (q: string): Promise<number> =>
  (await admin.get(`/console/records/clients?q=${encodeURIComponent(q)}`)).body.meta.total
const client = (name: string) => admin.company.record('clients', { name })

describe('A batch', () => {
  test('does all of its operations under one write, which one undo takes back', async () => {
    const [changed, removed] = [await client('Ada'), await client('Bo')]
    const answer = await batch([
      create('New of a batch'),
      { op: 'update', id: changed, body: { notes: 'N' } },
      { op: 'delete', id: removed },
    ])
    expect(answer).toMatchObject({ status: 200, body: { data: { mode: 'all', dry_run: false, done: 3, refused: 0 } } })
    const [first, second] = answer.body.data.operations
    expect(first).toMatchObject({ n: 0, status: 201, data: { created: true }, etag: expect.any(String) })
    expect(second).toMatchObject({ n: 1, status: 200, data: { id: changed, changed: ['notes'] } })
    expect((await admin.get(`/console/records/clients/${removed}`)).status).toBe(404)
    const writeId = answer.headers['x-write-id']
    expect(await stage.sql('select count(*)::int as count from history where write_id = $1', writeId)).toEqual([
      { count: 3 },
    ])
    expect((await admin.ask('POST', `/console/writes/${writeId}/undo`)).status).toBe(200)
    expect([await named('of a batch'), (await admin.data(`/console/records/clients/${changed}`)).notes]).toEqual([
      0,
      null,
    ])
  })

  test('of which one is refused does nothing, and names each with the problem of its own call', async () => {
    const answer = await batch([create('Beside'), create(''), { op: 'update', id: 999_999, body: { name: 'X' } }])
    expect(answer).toMatchObject({ status: 422, body: { code: 'batch_refused' } })
    expect(answer.body.refused).toMatchObject([
      { n: 1, status: 422, problem: { errors: [{ field: 'body.name', code: 'too_short' }] } },
      { n: 2, status: 404, problem: { code: 'not_found' } },
    ])
    expect(await named('Beside')).toBe(0)
  })

  test('is previewed by dry_run and by X-Dry-Run, and writes nothing', async () => {
    for (const given of [{ query: '?dry_run=1' }, { headers: { 'X-Dry-Run': '1' } }]) {
      const { status, body, headers } = await batch([create('Previewed')], given)
      expect(status).toBe(200)
      expect(body).toMatchObject({ data: { dry_run: true }, plan: { total: 1 }, doubts: [] })
      expect(headers['x-write-id']).toBeUndefined()
    }
    expect(await named('Previewed')).toBe(0)
  })

  test('does what its preview showed, or nothing', async () => {
    const id = await client('Planned')
    const operations = [{ op: 'update', id, body: { notes: 'planned' } }]
    const { plan } = (await batch(operations, { query: '?dry_run=1' })).body
    const headers = { 'If-Plan': `"${plan.hash}"` }
    await admin.ask('PATCH', `/console/records/clients/${id}`, { notes: 'by hand' })
    expect(await batch(operations, { headers })).toMatchObject({ status: 412, body: { code: 'plan_changed' } })
  })

  test('is done once under its key', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const [first, second] = [await batch([create('Once')], { headers }), await batch([create('Once')], { headers })]
    expect([second.text, second.headers['idempotency-replayed']]).toEqual([first.text, 'true'])
    expect(await named('Once')).toBe(1)
  })

  test('is refused where a record has another tag than if_match names', async () => {
    const id = await client('Tagged')
    const { etag = '' } = (await admin.get(`/console/records/clients/${id}`)).headers
    await admin.ask('PATCH', `/console/records/clients/${id}`, { notes: 'N' })
    const answer = await batch([create('Beside it'), { op: 'update', id, if_match: etag, body: { notes: 'M' } }])
    expect(answer.body.refused).toMatchObject([{ n: 1, status: 412, problem: { code: 'precondition_failed' } }])
    expect(await named('Beside')).toBe(0)
  })

  test('with a doubt is done when that is accepted', async () => {
    const body = { title: 'Wall', client_id: await client('Late'), status: 'SENT', valid_until: '2020-02-01' }
    const id = await admin.company.record('estimates', {
      ...body,
      lines: [{ description: 'Stone', unit_price_minor: 100 }],
    })
    const operations = [{ op: 'update', id, body: { status: 'ACCEPTED' } }]
    const refused = await batch(operations, { records: 'estimates' })
    expect(refused).toMatchObject({ status: 409, body: { doubts: [{ n: 0, field: 'valid_until', code: 'too_late' }] } })
    const headers = { 'X-Accept-Doubts': 'too_late' }
    expect((await batch(operations, { records: 'estimates', headers })).status).toBe(200)
  })
})

describe('A batch is refused', () => {
  test.each([
    ['with operations on another resource', [{ op: 'create', records: 'projects', body: { name: 'P' } }], 422],
    ['without operations', [], 422],
    ['with too many', Array.from({ length: recordsBatchMax + 1 }, () => create('Many')), 413],
  ])('%s', async (_, operations, status) => {
    expect((await batch(operations)).status).toBe(status)
  })

  test('with a deletion to whom may not delete, before anything is done', async () => {
    const id = await client('Stays')
    const editor = await stage.person(admin.company, ['CLIENTS_VIEW', 'CLIENTS_EDIT'])
    const answer = await batch([create('By the editor'), { op: 'delete', id }], { by: editor })
    expect(answer).toMatchObject({ status: 403, body: { required_scope: 'CLIENTS_DELETE' } })
    expect(await named('By the editor')).toBe(0)
  })

  test('with words of a list to whom may not edit those', async () => {
    const editor = await stage.person(admin.company, ['WORKERS_VIEW', 'WORKERS_EDIT'])
    const word = { op: 'create', records: 'trades', body: { name: 'Glazier' } }
    expect(await batch([word], { by: editor, records: 'workers' })).toMatchObject({
      status: 403,
      body: { required_scope: 'TRADES_EDIT' },
    })
    const changed = await batch([{ ...word, op: 'delete', id: 1 }], { records: 'workers' })
    expect(changed).toMatchObject({ status: 422, body: { errors: [{ field: 'operations[0].op' }] } })
  })

  test('as a whole where the name of a record of another company is given', async () => {
    const other = await stage.admin()
    const id = await other.company.record('clients', { name: 'Foreign' })
    const answer = await batch([{ op: 'update', id, body: { name: 'Mine' } }])
    expect(answer.body.refused).toMatchObject([{ n: 0, status: 404 }])
  })
})
