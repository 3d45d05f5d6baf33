import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person } from './stage.ts'

let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
})
afterAll(() => stage.close())

const keyed = (key: string) => ({ 'Idempotency-Key': key })
const fresh = (): string => crypto.randomUUID()

/** How many records of a name there are. */
const count = async (name: string): Promise<number> =>
  (await admin.get(`/console/records/clients?q=${name}`)).body.meta.total

describe('A key of the interface', () => {
  test('does a create once, and tells its answer again', async () => {
    const key = fresh()
    const first = await admin.ask('POST', '/console/records/clients', { name: 'Quay' }, keyed(key))
    const again = await admin.ask('POST', '/console/records/clients', { name: 'Quay' }, keyed(key))
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.body).toEqual(first.body)
    expect([again.headers.location, again.headers.etag]).toEqual([first.headers.location, first.headers.etag])
    expect([first.headers['idempotency-replayed'], again.headers['idempotency-replayed']]).toEqual([undefined, 'true'])
    expect(await count('Quay')).toBe(1)
  })

  test('of two at once does one, and has the other come again', async () => {
    const key = fresh()
    const both = await Promise.all(
      [1, 2].map(() => admin.ask('POST', '/console/records/clients', { name: 'Twin' }, keyed(key))),
    )
    for (const { status, body } of both) {
      if (status !== 201) expect({ status, code: body.code }).toEqual({ status: 409, code: 'idempotency_in_progress' })
    }
    expect(both.filter(({ status }) => status === 201).length).toBeGreaterThan(0)
    expect(await count('Twin')).toBe(1)
  })

  test('is bound to what was sent with it', async () => {
    const key = fresh()
    await admin.ask('POST', '/console/records/clients', { name: 'Bound' }, keyed(key))
    const { status, body } = await admin.ask('POST', '/console/records/clients', { name: 'Other' }, keyed(key))
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'idempotency_key_reuse' })
    expect(body.detail).toContain('saved before')
    expect(await count('Other')).toBe(0)
  })

  test('is free again after a refusal', async () => {
    const key = fresh()
    const refused = await admin.ask('POST', '/console/records/clients', { name: '' }, keyed(key))
    expect(refused.status).toBe(422)
    const done = await admin.ask('POST', '/console/records/clients', { name: 'Free' }, keyed(key))
    expect(done.status).toBe(201)
    const lost = await admin.ask(
      'PATCH',
      `/console/records/clients/${done.body.data.id}`,
      { name: 'X' },
      {
        ...keyed(fresh()),
        'If-Match': '"9-x"',
      },
    )
    expect(lost.status).toBe(412)
  })

  test('is not used up by a preview', async () => {
    const key = fresh()
    const id = await admin.company.record('clients', { name: 'Gone' })
    const preview = await admin.ask('DELETE', `/console/records/clients/${id}?dry_run=1`, undefined, keyed(key))
    expect(preview.body.data.dry_run).toBe(true)
    const first = await admin.ask('DELETE', `/console/records/clients/${id}`, undefined, keyed(key))
    const again = await admin.ask('DELETE', `/console/records/clients/${id}`, undefined, keyed(key))
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.body).toEqual(first.body)
  })

  test('is the account’s own, and none of /v1', async () => {
    const key = fresh()
    const other = await stage.person(admin.company)
    const mine = await admin.ask('POST', '/console/records/clients', { name: 'Mine' }, keyed(key))
    const theirs = await other.ask('POST', '/console/records/clients', { name: 'Mine' }, keyed(key))
    const called = await admin.company.call('POST', '/v1/clients', { body: { name: 'Mine' }, headers: keyed(key) })
    expect(new Set([mine, theirs, called].map(({ body }) => body.data.id)).size).toBe(3)
  })

  test('has the permission looked at again before the answer is told', async () => {
    const key = fresh()
    const clerk = await stage.person(admin.company, ['CLIENTS_EDIT'])
    await clerk.ask('POST', '/console/records/clients', { name: 'Once' }, keyed(key))
    await stage.sql("update accounts set permissions = '{}' where id = $1", clerk.id)
    const again = await clerk.ask('POST', '/console/records/clients', { name: 'Once' }, keyed(key))
    expect(again).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } })
  })

  test('tells a secret again, and keeps it sealed', async () => {
    const key = fresh()
    const body = { password: admin.password }
    const first = await admin.ask('POST', '/console/token/rotate', body, keyed(key))
    const again = await admin.ask('POST', '/console/token/rotate', body, keyed(key))
    expect(first.status).toBe(200)
    expect(again.body).toEqual(first.body)
    const kept = await stage.sql('select body from answers where company_id = $1', admin.company.id)
    const { token } = first.body.data
    expect(kept.filter(({ body: text }) => String(text).includes(token))).toEqual([])
    const wrong = await admin.ask('POST', '/console/token/rotate', { password: 'x' }, keyed(key))
    expect(wrong.status).toBe(422)
  })

  test.each([
    ['an account', 'POST', '/console/accounts', { name: 'Ola', email: 'ola@example.com', permissions: [] }],
    ['the name of the company', 'PATCH', '/console/company', { name: 'Harbour' }],
  ])('does %s once', async (_what, method, path, body) => {
    const key = fresh()
    const first = await admin.ask(method, path, body, keyed(key))
    const again = await admin.ask(method, path, body, keyed(key))
    expect(first.status).toBeLessThan(300)
    expect({ status: again.status, body: again.body, replayed: again.headers['idempotency-replayed'] }).toEqual({
      status: first.status,
      body: first.body,
      replayed: 'true',
    })
  })
})
