import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleStage, openConsole, type Person, password } from './stage.ts'

/** Calls taken together, who calls, and what was done in Settings. */
let stage: ConsoleStage
beforeAll(async () => {
  stage = await openConsole()
})
afterAll(() => stage.close())

describe('What fails', () => {
  test('is grouped by code, route and what it is about, the most frequent first', async () => {
    const admin = await stage.admin()
    const { company } = admin
    for (let index = 0; index < 3; index++)
      await company.call('POST', '/v1/clients', { body: { name: 'C', email: 'x' } })
    await company.call('POST', '/v1/clients', { body: { name: 'C', email: 'x', phone: 1 } })
    await company.get('/v1/projects?limit=0')
    await company.calls()
    await stage.sql(
      "update calls set at = at - interval '8 days' where company_id = $1 and code = 'invalid_parameter'",
      company.id,
    )
    expect(await admin.data('/console/calls/failures')).toMatchObject([
      { code: 'validation_failed', route: 'clients.create', about: 'email', count: 4, last_id: expect.any(Number) },
      { code: 'validation_failed', route: 'clients.create', about: 'phone', count: 1 },
    ])
    const listed = await admin.get('/console/calls?code=validation_failed&route=clients.create&about=email')
    expect(listed.body.meta.total).toBe(4)
  })

  test('is found by address and token, too', async () => {
    const admin = await stage.admin()
    await admin.company.get('/v1/projects')
    await admin.company.calls()
    const [{ token_id }] = await admin.data('/console/calls')
    const totals = async (query: string) => (await admin.get(`/console/calls?${query}`)).body.meta.total
    expect(await Promise.all([totals('peer=127.0.0.1'), totals('peer=192.0.2.1')])).toEqual([1, 0])
    expect(await Promise.all([totals(`token=${token_id}`), totals('token=1')])).toEqual([1, 0])
    expect((await admin.get('/console/calls?token=x')).status).toBe(400)
  })
})

describe('Usage and calls', () => {
  test('agree to the call, by day, by outcome and by resource', async () => {
    const admin = await stage.admin()
    const { company } = admin
    const headers = { 'Idempotency-Key': 'k' }
    await company.call('POST', '/v1/projects', { body: { name: 'P' }, headers })
    await company.call('POST', '/v1/projects', { body: { name: 'P' }, headers })
    await company.call('POST', '/v1/projects?dry_run=1', { body: { name: 'P' } })
    await company.get('/v1/clients?limit=0')
    await company.get('/v1/clients')
    await company.calls()
    await stage.sql(
      "update calls set at = at - interval '2 days' where company_id = $1 and route = 'clients.list'",
      company.id,
    )
    const { days } = await admin.data('/console/usage?days=7')
    for (const { day, by_outcome, by_resource } of days) {
      const total = async (more: string) =>
        (await admin.get(`/console/calls?from=${day}&to=${day}${more}`)).body.meta.total
      const sum = (of: { [name: string]: number }) => Object.values(of).reduce((one, other) => one + other, 0)
      expect(await total('')).toBe(sum(by_outcome))
      expect(sum(by_resource)).toBe(sum(by_outcome))
      for (const [outcome, count] of Object.entries(by_outcome)) expect(await total(`&outcome=${outcome}`)).toBe(count)
      for (const [resource, count] of Object.entries(by_resource)) expect(await total(`&route=${resource}`)).toBe(count)
    }
    const found = days.reduce((sum: number, { counted }: { counted: number }) => sum + counted, 0)
    expect(found).toBe(4)
  })
})

describe('An integration that is dead', () => {
  test('is told of after a rotation, by address and number, until it is let in again', async () => {
    const admin = await stage.admin()
    const { company } = admin
    const old = company.token
    await company.get('/v1/projects', { 'User-Agent': 'payroll/2' })
    await company.calls()
    expect(await admin.data('/console/token/dead')).toEqual([])
    expect(await admin.data('/console/token/callers')).toMatchObject([
      { peer: '127.0.0.1', count: 1, user_agent: 'payroll/2', last_at: expect.any(String) },
    ])
    company.token = await company.rotate()
    expect(await admin.data('/console/token/callers')).toEqual([])
    for (let index = 0; index < 3; index++) await company.call('GET', '/v1/projects', { token: old })
    await company.calls()
    const dead = await admin.data('/console/token/dead')
    expect(dead).toMatchObject([{ peer: '127.0.0.1', count: 3, cured: false, token_ended_at: expect.any(String) }])
    await company.get('/v1/projects')
    await company.calls()
    expect(await admin.data('/console/token/dead')).toMatchObject([{ count: 3, cured: true }])
    await company.call('GET', '/v1/projects', { token: old })
    await company.calls()
    expect(await admin.data('/console/token/dead')).toMatchObject([{ count: 4, cured: false }])
    await stage.sql("update calls set at = at - interval '25 hours' where company_id = $1", company.id)
    expect(await admin.data('/console/token/dead')).toEqual([])
  })

  test('is told of where its account is disabled, and the token is not old', async () => {
    const admin = await stage.admin()
    await admin.company.setAccount({ disabled: true })
    await admin.company.get('/v1/projects')
    await admin.company.calls()
    expect(await admin.data('/console/token/dead')).toMatchObject([{ count: 1, token_ended_at: null }])
  })
})

describe('The token is changed without another text', () => {
  const change = (person: Person, wanted: object) => person.ask('PATCH', '/console/token', { password, ...wanted })

  test('to less, and back to what the one who changes it and its account hold; the next call is held to it', async () => {
    const admin = await stage.admin()
    const { company } = admin
    const all = (await admin.data('/console/token')).scopes
    const less = await change(admin, { label: ' Reader ', scopes: ['PROJECTS_VIEW'] })
    expect(less.body.data).toMatchObject({ label: 'Reader', scopes: ['PROJECTS_VIEW'] })
    expect((await company.call('POST', '/v1/projects', { body: { name: 'P' } })).status).toBe(403)
    expect((await change(admin, { scopes: all })).status).toBe(200)
    expect((await company.call('POST', '/v1/projects', { body: { name: 'P' } })).status).toBe(201)
  })

  test('never to more than the one who changes it holds, or its account', async () => {
    const admin = await stage.admin({ scopes: ['PROJECTS_VIEW', 'CLIENTS_VIEW'] })
    const clerk = await stage.person(admin.company, ['API_MANAGE'])
    const more = await change(clerk, { scopes: ['PROJECTS_VIEW', 'CLIENTS_EDIT'] })
    expect(more).toMatchObject({ status: 422, body: { errors: [{ field: 'scopes', code: 'not_allowed' }] } })
    // What is on it already may stay, whoever holds it.
    expect((await change(clerk, { scopes: ['PROJECTS_VIEW'] })).status).toBe(200)
    await admin.company.setAccount({ permissions: ['PROJECTS_VIEW'] })
    expect((await change(admin, { scopes: ['PROJECTS_VIEW', 'CLIENTS_EDIT'] })).status).toBe(422)
  })

  test.each([
    ['a wrong password', { password: 'wrong', label: 'L' }, 422],
    ['an empty label', { label: ' ' }, 422],
    ['an unknown scope', { scopes: ['EVERYTHING'] }, 422],
    ['nothing to change', {}, 200],
  ])('%s', async (_what, wanted, status) => {
    expect((await change(await stage.admin(), wanted)).status).toBe(status)
  })
})

describe('Settings have a history', () => {
  test('who showed, rotated, revoked and changed the token, changed accounts, company and webhooks', async () => {
    const admin = await stage.admin()
    const other = await stage.person(admin.company)
    await admin.ask('POST', '/console/token/show', { password })
    await admin.ask('PATCH', '/console/token', { password, label: 'New', scopes: ['PROJECTS_VIEW'] })
    await admin.ask('PUT', '/console/token/allowlist', { password, allowlist: ['192.0.2.1'] })
    await admin.ask('POST', '/console/token/rotate', { password })
    await admin.ask('POST', '/console/token/revoke', { password })
    await admin.ask('PATCH', `/console/accounts/${other.id}`, { permissions: ['PROJECTS_VIEW'] })
    await admin.ask('PATCH', '/console/company', { currency: 'EUR' })
    const webhook = {
      name: 'Ledger',
      url: 'https://192.0.2.9/',
      events: ['clients.created'],
      payload: 'thin',
      ordered: true,
    }
    await stage.inTransaction(async (transaction) => {
      const { createWebhook } = await import('#server/service/webhooks.ts')
      const actor = { ...admin.company.actor, accountId: admin.id, channel: 'console' as const }
      await createWebhook(transaction, { actor, keys: stage.app.secret, now: new Date() }, webhook as never)
    })
    const entries = await admin.data('/console/settings/history')
    expect(entries.slice(0, 8)).toMatchObject([
      { records: 'webhook_endpoints', action: 'created', title: 'Ledger', who: { account_id: admin.id } },
      { records: 'companies', action: 'changed', changes: { currency: ['USD', 'EUR'] } },
      {
        records: 'accounts',
        action: 'changed',
        title: 'Femi',
        changes: { permissions: [expect.any(Array), ['PROJECTS_VIEW']] },
      },
      { records: 'tokens', action: 'revoked' },
      { records: 'tokens', action: 'rotated' },
      { records: 'tokens', action: 'allowlist set', changes: { allowlist: [[], ['192.0.2.1/32']] } },
      { records: 'tokens', action: 'changed', title: 'New', changes: { label: ['Test', 'New'] } },
      { records: 'tokens', action: 'shown', who: { account_id: admin.id } },
    ])
    expect((await admin.get('/console/settings/history?limit=2&offset=1')).body.meta).toMatchObject({
      limit: 2,
      offset: 1,
    })
  })

  test.each([
    [['API_MANAGE'], ['tokens']],
    [['ACCOUNTS_MANAGE'], ['accounts']],
    [['COMPANY_MANAGE'], ['companies']],
    [[], []],
  ])('is shown in part to those who hold %s', async (held, kinds) => {
    const admin = await stage.admin()
    const other = await stage.person(admin.company, ['PROJECTS_VIEW'])
    await admin.ask('PATCH', `/console/accounts/${other.id}`, { name: 'Grace' })
    await admin.ask('PATCH', '/console/company', { name: 'Quay' })
    const clerk = await stage.person(admin.company, held)
    const entries = await clerk.data('/console/settings/history')
    expect([...new Set(entries.map(({ records }: { records: string }) => records))]).toEqual(kinds)
  })
})
