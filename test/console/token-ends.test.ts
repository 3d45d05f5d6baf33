import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person, password } from './stage.ts'

/** A token that ends by itself. Time passes in the row of the token: what counts is the clock of the database. */
let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole()
})
afterAll(() => stage.close())

const hour = 3600 * 1000
const inAnHour = () => new Date(Date.now() + hour).toISOString()
const issue = (body: object) =>
  admin.ask('POST', '/console/token', { label: 'Export', scopes: ['CLIENTS_VIEW', 'CLIENTS_EDIT'], password, ...body })

async function withToken(body: object): Promise<void> {
  admin = await stage.admin()
  await admin.ask('POST', '/console/token/revoke', { password })
  const answer = await issue(body)
  expect(answer.status, answer.text).toBe(201)
  admin.company.token = answer.body.data.token
}

/** Both moments move, so that the length of its life stays. */
const pass = (milliseconds: number) =>
  stage.sql(
    `update tokens set created_at = created_at - $1 * interval '1 millisecond', expires_at = expires_at - $1 * interval '1 millisecond'
     where company_id = $2 and revoked_at is null`,
    milliseconds,
    admin.company.id,
  )

describe('A token with an end', () => {
  test('works until then, says when it is, and is refused as a revoked one is from then on', async () => {
    const expires_at = inAnHour()
    await withToken({ expires_at })
    expect((await admin.company.get('/v1/me')).body.data.token).toMatchObject({ label: 'Export', expires_at })
    expect(await admin.data('/console/token')).toMatchObject({ expires_at })
    const key = { 'Idempotency-Key': 'last' }
    const create = () => admin.company.call('POST', '/v1/clients', { body: { name: 'Last' }, headers: key })
    expect((await create()).status).toBe(201)

    await pass(hour)
    const count = async () => (await stage.sql('select id from clients where company_id = $1', admin.company.id)).length
    const before = await count()
    const unknown = await admin.company.get('/v1/me', { Authorization: `Bearer plumb_live_${admin.company.id}_no` })
    for (const answer of [
      await admin.company.get('/v1/me'),
      await admin.company.get('/v1/clients'),
      await create(),
      await admin.company.call('POST', '/v1/clients', { body: { name: 'Late' } }),
      await admin.company.call('POST', '/v1/clients', {
        body: { name: 'Late' },
        headers: { 'Idempotency-Key': 'new' },
      }),
      await admin.company.call('POST', '/v1/batch', { body: { mode: 'each', operations: [] } }),
      await admin.company.get('/v1/changes?wait=5'),
    ]) {
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized', detail: unknown.body.detail } })
      expect(answer.headers['www-authenticate']).toBe(unknown.headers['www-authenticate'])
    }
    expect(await count()).toBe(before)
    await admin.company.calls()
    const [call] = await admin.data('/console/calls?code=unauthorized&limit=1')
    expect(call).toMatchObject({ token_active: false, token_ended_at: expect.any(String) })
    expect((await admin.data('/console/token/dead')).length).toBe(1)
  })

  test('stays the one token of the company: another is issued once it is revoked', async () => {
    await withToken({ expires_at: inAnHour() })
    await pass(2 * hour)
    expect(await issue({})).toMatchObject({ status: 409, body: { code: 'token_active' } })
    expect((await admin.ask('POST', '/console/token/revoke', { password })).status).toBe(200)
    expect((await issue({})).status).toBe(201)
    expect((await admin.data('/console/token')).expires_at).toBeNull()
  })

  test('lives as long again once it is rotated, before its end or after it', async () => {
    await withToken({ expires_at: inAnHour() })
    for (const passed of [hour / 2, 3 * hour]) {
      await pass(passed)
      const { created_at: made, expires_at: ends } = await admin.data('/console/token')
      const { body } = await admin.ask('POST', '/console/token/rotate', { password })
      admin.company.token = body.data.token
      const { created_at, expires_at } = await admin.data('/console/token')
      const lengthOf = (from: string, to: string) => new Date(to).getTime() - new Date(from).getTime()
      expect(lengthOf(created_at, expires_at)).toBe(lengthOf(made, ends))
      expect(new Date(created_at).getTime()).toBeGreaterThan(new Date(made).getTime() + passed - hour / 4)
      expect((await admin.company.get('/v1/me')).status).toBe(200)
    }
  })

  test('goes on with its end where its rights or its addresses are changed', async () => {
    const expires_at = inAnHour()
    await withToken({ expires_at })
    await admin.ask('PATCH', '/console/token', { label: 'Other', scopes: ['CLIENTS_VIEW'], password })
    await admin.ask('PUT', '/console/token/allowlist', { allowlist: ['127.0.0.1'], password })
    expect(await admin.data('/console/token')).toMatchObject({ label: 'Other', expires_at })
  })
})

test.each([
  ['2020-01-01T00:00:00Z', 'out_of_range'],
  ['tomorrow', 'wrong_format'],
  ['2030-02-30T00:00:00Z', 'wrong_format'],
  ['2030-01-01', 'wrong_format'],
  ['2030-01-01T00:00:00', 'wrong_format'],
  ['', 'wrong_format'],
])('a token that is to end at %o is refused by 422, and none is issued', async (expires_at, code) => {
  admin = await stage.admin()
  await admin.ask('POST', '/console/token/revoke', { password })
  const answer = await issue({ expires_at })
  expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: 'expires_at', code }] } })
  expect(await admin.data('/console/token')).toBeNull()
})

test('a token without an end has none', async () => {
  await withToken({})
  expect((await admin.company.get('/v1/me')).body.data.token.expires_at).toBeNull()
})
