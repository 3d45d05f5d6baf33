import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person } from './stage.ts'

/** A person is asked before something is written that is allowed and looks like a mistake. */
let stage: ConsoleStage
let admin: Person & { company: Company }
let client: number
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
  client = await admin.company.create('clients', { name: 'Ada' })
})
afterAll(() => stage.close())
beforeEach(() => moveTo('2026-06-15'))

const moveTo = (day: string): void => {
  stage.app.clock = { ...stage.app.clock, now: () => new Date(`${day}T12:00:00Z`) }
}
const offer = (more: JsonObject = {}): JsonObject => ({
  title: 'Wall',
  client_id: client,
  valid_until: '2026-06-01',
  lines: [{ description: 'Stone', unit_price_minor: 100 }],
  ...more,
})
const sent = (more: JsonObject = {}) => admin.company.record('estimates', offer({ status: 'SENT', ...more }))
const at = (id: number, query = '') => `/console/records/estimates/${id}${query}`
const accept = (id: number, headers: { [name: string]: string } = {}, query = '') =>
  admin.ask('PATCH', at(id, query), { status: 'ACCEPTED' }, headers)
const accepting = { 'X-Accept-Doubts': 'too_late' }
const doubt = { field: 'valid_until', code: 'too_late', message: expect.stringContaining('2026-06-01') }

describe('A write with a doubt', () => {
  test('is refused with the doubt, writes nothing, and is done under the same key once that is accepted', async () => {
    const id = await sent()
    const key = { 'Idempotency-Key': crypto.randomUUID() }
    const before = await admin.get(at(id))
    const refused = await accept(id, key)
    expect(refused).toMatchObject({ status: 409, body: { code: 'doubtful', doubts: [doubt] } })
    expect(refused.body.detail).toMatch(/^valid_until was the last day/)
    const now = await admin.get(at(id))
    expect([now.headers.etag, now.body]).toEqual([before.headers.etag, before.body])

    expect((await accept(id, { ...key, ...accepting })).body.data).toMatchObject({ updated: true, changed: ['status'] })
    const again = await accept(id, key)
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true'])
    expect((await admin.get(at(id, '/history'))).body.data).toHaveLength(2)
  })

  test('is refused on create, too', async () => {
    const create = (headers = {}) =>
      admin.ask('POST', '/console/records/estimates', offer({ status: 'ACCEPTED' }), headers)
    const { total } = (await admin.get('/console/records/estimates')).body.meta
    expect(await create()).toMatchObject({ status: 409, body: { doubts: [doubt] } })
    expect((await admin.get('/console/records/estimates')).body.meta.total).toBe(total)
    expect((await create(accepting)).status).toBe(201)
  })

  test('that has a problem as well is refused for that', async () => {
    const id = await sent()
    const answer = await admin.ask('PATCH', at(id), { status: 'ACCEPTED', title: '' })
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: 'title' }] } })
    expect(answer.body.doubts).toBeUndefined()
  })

  test('is listed beside the plan of a dry-run, which refuses nothing', async () => {
    const id = await sent()
    for (const headers of [{}, accepting]) {
      const { status, body } = await accept(id, headers, '?dry_run=1')
      expect(status).toBe(200)
      expect(body).toMatchObject({ data: { dry_run: true }, plan: { total: 1 }, doubts: [doubt] })
    }
    const plain = await admin.ask('PATCH', at(id, '?dry_run=1'), { title: 'Fence' })
    expect(plain.body.doubts).toEqual([])
    expect((await admin.data(at(id))).status).toBe('SENT')
  })
})

describe('Nobody is asked', () => {
  test.each([
    ['on the last day', { valid_until: '2026-06-15' }],
    ['where there is no last day', { valid_until: null }],
  ])('%s', async (_, more) => {
    expect((await accept(await sent(more))).status).toBe(200)
  })

  test('before the last day is over by the clock', async () => {
    moveTo('2026-06-01')
    expect((await accept(await sent())).status).toBe(200)
  })

  test('about an old fact, where another field is changed', async () => {
    const id = await sent({ status: 'ACCEPTED' })
    expect((await admin.ask('PATCH', at(id), { notes: 'by telephone' })).status).toBe(200)
  })

  test('by /v1, which does not read the header', async () => {
    const id = await sent()
    const call = { body: { status: 'ACCEPTED' }, headers: { 'X-Accept-Doubts': 'no such thing' } }
    const dry = await admin.company.call('PATCH', `/v1/estimates/${id}?dry_run=1`, call)
    expect([dry.status, 'doubts' in dry.body]).toEqual([200, false])
    expect((await admin.company.call('PATCH', `/v1/estimates/${id}`, call)).status).toBe(200)
  })

  test('by an undo, which does not read the header', async () => {
    const answer = await admin.ask('PATCH', at(await sent()), { title: 'Fence' })
    const undo = `/console/writes/${answer.headers['x-write-id']}/undo`
    expect((await admin.ask('POST', undo, undefined, { 'X-Accept-Doubts': 'no such thing' })).status).toBe(200)
  })
})

describe('X-Accept-Doubts', () => {
  test.each([
    ['with a doubt that there is not here is ignored', { title: 'Fence' }, 'too_late', 200, undefined],
    ['with blanks and empty parts is read', { status: 'ACCEPTED' }, ' , too_late ,', 200, undefined],
    ['that is empty accepts nothing', { status: 'ACCEPTED' }, ' ', 409, 'doubtful'],
    ['with an unknown code is refused', { title: 'Fence' }, 'too_late,too_soon', 400, 'invalid_header'],
    ['with the code of a problem is refused', { title: 'Fence' }, 'locked', 400, 'invalid_header'],
  ])('%s', async (_, body, header, status, code) => {
    const answer = await admin.ask('PATCH', at(await sent()), body, { 'X-Accept-Doubts': header })
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })
})

describe('An import', () => {
  const operations = (id: number): JsonObject[] => [
    { op: 'create', body: offer() },
    { op: 'update', id, body: { status: 'ACCEPTED' } },
  ]

  test('lists the doubts of its rows by their places, and writes them when they are accepted by code', async () => {
    const id = await sent()
    const tried = await admin.ask('POST', '/console/records/estimates/batch?dry_run=1', { operations: operations(id) })
    expect(tried.body.doubts).toEqual([{ n: 1, ...doubt }])
    const file = { file_name: 'offers.csv', fingerprint: crypto.randomUUID(), settings: {}, rows: 2 }
    const { write_id } = (await admin.ask('POST', '/console/imports/estimates', file)).body.data
    const part = { from: 0, to: 2, operations: operations(id) }
    const apply = (headers: { [name: string]: string }) =>
      admin.ask('POST', `/console/imports/estimates/${write_id}/batches`, part, {
        'If-Plan': `"${tried.body.plan.hash}"`,
        ...headers,
      })
    expect(await apply({})).toMatchObject({ status: 409, body: { doubts: [{ n: 1, code: 'too_late' }] } })
    expect((await admin.data('/console/imports/estimates'))[0].done).toBe(0)
    expect((await apply(accepting)).body.data).toMatchObject({ done: 2 })
  })
})
