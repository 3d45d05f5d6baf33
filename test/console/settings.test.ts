import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { permissions, scopes } from '#registry/permissions.ts'
import { createAccount } from '#server/service/account.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, cookieOf, openConsole, type Person, password, signIn } from './stage.ts'

let stage: ConsoleStage
beforeAll(async () => {
  stage = await openConsole()
})
afterAll(() => stage.close())

type Admin = Person & { company: Company }
const api = (token: string, path = '/v1/clients') =>
  stage.send({ method: 'GET', path, headers: [['Authorization', `Bearer ${token}`]] })

const issue = (person: Person, wanted: object = {}) =>
  person.ask('POST', '/console/token', {
    label: 'Payroll',
    scopes: ['CLIENTS_VIEW'],
    allowlist: [],
    password,
    ...wanted,
  })

describe('The token', () => {
  let admin: Admin
  beforeAll(async () => {
    admin = await stage.admin()
    await admin.company.revoke()
  })
  test('is issued, seen without its text, shown, rotated and revoked', async () => {
    expect((await admin.get('/console/token')).body).toEqual({ data: null })
    const issued = await issue(admin, { allowlist: ['127.0.0.1', '10.0.0.0/8'] })
    expect(issued.status).toBe(201)
    const first = issued.body.data.token
    expect(first).toMatch(/^plumb_live_[0-9a-f]{72}$/)

    expect(await admin.data('/console/token')).toMatchObject({ last_used_at: null, last_peer: null })
    expect((await api(first)).status).toBe(200)
    await admin.company.calls()
    const seen = await admin.get('/console/token')
    expect(seen.text).not.toContain('plumb_live_')
    expect(seen.body.data).toEqual({
      id: expect.any(Number),
      label: 'Payroll',
      scopes: ['CLIENTS_VIEW'],
      allowlist: ['127.0.0.1/32', '10.0.0.0/8'],
      account: { id: admin.id, name: 'Femi' },
      issued_by: { id: admin.id, name: 'Femi' },
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      expires_at: null,
      last_used_at: expect.stringMatching(/^\d{4}-.*Z$/),
      last_peer: '127.0.0.1',
      lacking: [],
    })

    expect((await issue(admin)).body.code).toBe('token_active')
    expect((await admin.ask('POST', '/console/token/show', { password })).body).toEqual({ data: { token: first } })
    const second = (await admin.ask('POST', '/console/token/rotate', { password })).body.data.token
    expect([(await api(first)).status, (await api(second)).status]).toEqual([401, 200])
    expect(await admin.data('/console/token')).toMatchObject({ label: 'Payroll', scopes: ['CLIENTS_VIEW'] })
    expect((await admin.ask('POST', '/console/token/revoke', { password })).body).toEqual({ data: { revoked: true } })
    expect((await api(second)).status).toBe(401)
    expect((await admin.ask('POST', '/console/token/show', { password })).status).toBe(404)

    const audit = await stage.sql<{ action: string; account_id: number; door: string }>(
      "select action, account_id, door from history where company_id = $1 and records = 'tokens' and door = 'web' order by id",
      admin.company.id,
    )
    expect(audit.map(({ action }) => action)).toEqual(['issued', 'shown', 'rotated', 'revoked'])
    for (const { account_id } of audit) expect(account_id).toBe(admin.id)
  })

  test.each(['', '/show', '/rotate', '/revoke'])('POST /console/token%s asks for the password again', async (path) => {
    const person = await stage.person(admin.company)
    const rest = path === '' ? { label: 'X', scopes: [] } : {}
    const wrong = await person.ask('POST', `/console/token${path}`, { ...rest, password: 'not the password' })
    expect(wrong.body.errors).toEqual([
      { field: 'password', code: 'wrong_password', message: 'is not the password of your account' },
    ])
    expect((await person.ask('POST', `/console/token${path}`, rest)).body.errors).toMatchObject([
      { field: 'password', code: 'required' },
    ])
  })

  test('carries no scope that the issuer does not hold, whatever is posted and from whatever account', async () => {
    const owner = await stage.admin()
    await owner.company.revoke()
    const clerk = await stage.person(owner.company, ['API_MANAGE', 'CLIENTS_VIEW'])
    const refused = await issue(clerk, { scopes: ['CLIENTS_VIEW', 'CLIENTS_EDIT'] })
    expect(refused.body.errors).toMatchObject([{ field: 'scopes', code: 'not_allowed' }])
    expect((await issue(clerk, { scopes: ['API_MANAGE'] })).status).toBe(422)
    expect((await issue(clerk, { account_id: (await stage.admin()).id })).body.errors).toMatchObject([
      { field: 'account_id', code: 'not_found' },
    ])
  })

  test('is issued for another account by somebody who holds all its permissions', async () => {
    const owner = await stage.admin()
    await owner.company.revoke()
    const clerk = await stage.person(owner.company, ['API_MANAGE', 'CLIENTS_VIEW'])
    const less = await stage.person(owner.company, ['CLIENTS_VIEW'])
    const refused = await issue(clerk, { account_id: owner.id })
    expect(refused).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', required_scope: 'PROJECTS_VIEW' },
    })
    expect(refused.body.detail).toMatch(
      /^This acts for Femi with PROJECTS_VIEW, PROJECTS_EDIT, .* and AUDIT_VIEW, which you/,
    )
    expect((await issue(clerk, { account_id: less.id })).status).toBe(201)
    expect(await owner.data('/console/token')).toMatchObject({
      account: { id: less.id },
      issued_by: { id: clerk.id },
    })
  })

  test('is shown and rotated only to somebody who holds all that its account holds; revoked by the one who manages the API', async () => {
    const owner = await stage.admin()
    const { token } = owner.company
    const clerk = await stage.person(
      owner.company,
      permissions.filter((code) => code !== 'CLIENTS_EDIT'),
    )
    for (const path of ['show', 'rotate']) {
      const answer = await clerk.ask('POST', `/console/token/${path}`, { password })
      expect(answer).toMatchObject({
        status: 403,
        body: { code: 'insufficient_scope', required_scope: 'CLIENTS_EDIT' },
      })
      expect(answer.text).not.toContain('plumb_live_')
      // What is looked up in what may be used, not what the account behind it may do by now.
      expect((await api(token)).status).toBe(200)
    }
    const enough = await stage.person(owner.company)
    expect((await enough.ask('POST', '/console/token/show', { password })).body).toEqual({ data: { token } })
    expect((await enough.ask('POST', '/console/token/rotate', { password })).status).toBe(200)
    expect(await owner.data('/console/token')).toMatchObject({
      account: { id: owner.company.accountId },
      issued_by: { id: enough.id },
    })
    expect((await clerk.ask('POST', '/console/token/revoke', { password })).status).toBe(200)
  })

  test('is named in the history with its account and with who issued it, records and deletions alike', async () => {
    const owner = await stage.admin()
    await owner.company.revoke()
    const program = await stage.person(owner.company, ['CLIENTS_VIEW', 'CLIENTS_EDIT', 'CLIENTS_DELETE'])
    const wanted = { scopes: ['CLIENTS_EDIT', 'CLIENTS_DELETE'], account_id: program.id }
    const { token } = (await issue(owner, wanted)).body.data
    const call = (method: string, path: string, body?: string) =>
      stage.send({
        ...{ method, path, body },
        headers: [
          ['Authorization', `Bearer ${token}`],
          ['Content-Type', 'application/json'],
        ],
      })
    const { id } = (await call('POST', '/v1/clients', '{"name":"Quay"}')).body.data
    const named = {
      who: { account_id: program.id },
      issuer: { account_id: owner.id, name: 'Femi' },
      token_label: 'Payroll',
    }
    expect(await owner.data(`/console/records/clients/${id}/history`)).toMatchObject([{ ...named, door: 'api' }])
    expect((await owner.data('/console/home')).recent[0]).toMatchObject(named)
    expect((await call('DELETE', `/v1/clients/${id}`)).status).toBe(200)
    expect((await owner.data('/console/removals'))[0]).toMatchObject(named)

    await owner.ask('PATCH', `/console/records/clients/${await owner.company.record('clients', { name: 'B' })}`, {
      name: 'C',
    })
    expect((await owner.data('/console/home')).recent[0]).toMatchObject({ who: { account_id: owner.id }, issuer: null })
  })

  test('has an allowlist that is checked as /v1 means it', async () => {
    const own = await stage.admin()
    const set = (allowlist: unknown, given = password) =>
      own.ask('PUT', '/console/token/allowlist', { allowlist, password: given })
    const unasked = await own.ask('PUT', '/console/token/allowlist', { allowlist: [] })
    expect(unasked.body.errors).toMatchObject([{ field: 'password', code: 'required' }])
    expect((await set([], 'not this one')).body.errors).toMatchObject([{ field: 'password', code: 'wrong_password' }])
    expect((await set(['010.0.0.1'])).body.errors).toMatchObject([{ field: 'allowlist', code: 'wrong_format' }])
    expect((await set('10.0.0.1')).body.errors).toMatchObject([{ field: 'allowlist', code: 'wrong_type' }])
    expect((await set(['10.0.0.0/8'])).body.data).toMatchObject({ label: 'Test', allowlist: ['10.0.0.0/8'] })
    expect((await api(own.company.token)).body.code).toBe('ip_not_allowed')
  })

  test('has its options', async () => {
    const clerk = await stage.person(admin.company, ['API_MANAGE', 'CLIENTS_VIEW'])
    const options = await clerk.data('/console/token/options')
    expect(options.scopes.map(({ scope }: { scope: string }) => scope)).toEqual(scopes)
    expect(options.scopes.filter(({ held }: { held: boolean }) => held)).toEqual([
      { scope: 'CLIENTS_VIEW', records: 'clients', action: 'VIEW', held: true },
    ])
    expect(options.base_url).toBe(stage.url)
    expect(options.curl).toContain(`${stage.url}/v1/`)
  })
})

describe('Calls', () => {
  let admin: Admin
  beforeAll(async () => {
    admin = await stage.admin()
    const { company } = admin
    const id = await company.create('clients', { name: 'A' })
    await company.call('PATCH', `/v1/clients/${id}?dry_run=1`, { body: { name: 'B' } })
    const headers = { 'Idempotency-Key': 'once' }
    for (let count = 0; count < 2; count++) await company.call('POST', '/v1/clients', { body: { name: 'K' }, headers })
    await company.get('/v1/projects/999999')
    await company.setAccount({ permissions: permissions.filter((code) => code !== 'WORKERS_VIEW') })
    await company.get('/v1/workers')
    await company.set({ addOns: ['api'] })
    await company.get('/v1/estimates')
    const old = company.token
    await company.rotate()
    await api(old)
    await company.calls()
  })
  const list = async (query: string) => (await admin.get(`/console/calls?${query}`)).body

  test('are listed, newest first, with what became of each', async () => {
    const { data, meta } = await list('')
    expect(meta).toEqual({ total: 8, limit: 50, offset: 0 })
    expect(data.map(({ route, status, outcome }: { [name: string]: unknown }) => [route, status, outcome])).toEqual([
      ['clients.list', 401, 'refused'],
      ['estimates.list', 402, 'refused'],
      ['workers.list', 403, 'refused'],
      ['projects.fetch', 404, 'refused'],
      ['clients.create', 201, 'replayed'],
      ['clients.create', 201, 'ok'],
      ['clients.update', 200, 'dry_run'],
      ['clients.create', 201, 'ok'],
    ])
    expect(data[7]).toMatchObject({
      code: null,
      peer: '127.0.0.1',
      dry_run: false,
      replayed: false,
      counted: true,
      token_label: 'Test',
      token_active: false,
    })
    expect(data[0].ms).toBeGreaterThan(0)
  })

  test.each([
    ['outcome=ok', 2],
    ['outcome=refused', 4],
    ['outcome=replayed', 1],
    ['outcome=dry_run', 1],
    ['status=201', 3],
    ['code=not_found', 1],
    ['route=clients', 5],
    ['route=clients.create', 3],
    ['route=clients.create&outcome=ok&limit=1', 2],
    [`from=${new Date().toISOString().slice(0, 10)}`, 8],
    [`to=${new Date().toISOString().slice(0, 10)}`, 8],
    ['to=2020-01-01', 0],
    ['from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z', 8],
  ])('%s finds %i', async (query, total) => {
    expect((await list(query)).meta.total).toBe(total)
  })

  test.each(['outcome=lost', 'status=abc', 'from=yesterday', 'to=2026-02-30'])('%s is refused', async (query) => {
    expect((await list(query)).code).toBe('invalid_parameter')
  })

  test.each([
    ['clients.list', 'token', /rotated/],
    ['estimates.list', 'add-on', /add-on/],
    ['workers.list', 'scope', /scope/],
    ['projects.fetch', null, /id/],
  ])('%s says which check refused it and what to do', async (route, gate, advice) => {
    const [{ id }] = (await list(`route=${route}&outcome=refused`)).data
    const call = await admin.data(`/console/calls/${id}`)
    expect(call).toMatchObject({ id, route, gate })
    expect(call.advice).toMatch(advice)
  })

  test('one that went well needs no advice', async () => {
    const [{ id }] = (await list('outcome=ok')).data
    expect(await admin.data(`/console/calls/${id}`)).toMatchObject({ gate: null, advice: null })
  })

  test('usage counts them by day, resource and outcome', async () => {
    const usage = await admin.data('/console/usage?days=7')
    expect(usage.days).toHaveLength(7)
    expect(usage.days.at(-1)).toEqual({
      day: new Date().toISOString().slice(0, 10),
      counted: 4,
      by_resource: { clients: 5, estimates: 1, projects: 1, workers: 1 },
      by_outcome: { ok: 2, refused: 4, replayed: 1, dry_run: 1 },
    })
    expect(usage.days[0]).toMatchObject({ counted: 0, by_resource: {} })
    expect(usage.plan).toEqual([
      { records: 'projects', used: 0, limit: null },
      { records: 'workers', used: 0, limit: null },
    ])
    expect((await admin.data('/console/usage')).days).toHaveLength(30)
    expect((await admin.get('/console/usage?days=91')).status).toBe(400)
  })
})

describe('Accounts', () => {
  test('are listed and made, and the new one signs in', async () => {
    const admin = await stage.admin()
    const email = `${crypto.randomUUID()}@example.com`
    const made = await admin.ask('POST', '/console/accounts', {
      name: 'Ottilie',
      email,
      password,
      permissions: ['CLIENTS_VIEW'],
      own_password: password,
    })
    expect(made).toMatchObject({ status: 201, body: { data: { name: 'Ottilie', email, disabled: false } } })
    const { body } = await admin.get('/console/accounts')
    expect(body.data).toHaveLength(3)
    expect(body.meta.total).toBe(3)
    expect(JSON.stringify(body)).not.toContain('argon2')
    expect(await admin.data(`/console/accounts/${made.body.data.id}`)).toEqual(made.body.data)
    expect(await signIn(stage.ask, email)).toMatch(/^plumbline_session=/)
  })

  test('hold a permission once, however often it is given', async () => {
    const admin = await stage.admin()
    const twice = ['CLIENTS_VIEW', 'TASKS_VIEW', 'CLIENTS_VIEW']
    const made = await admin.ask('POST', '/console/accounts', {
      name: 'O',
      email: 'once@example.com',
      permissions: twice,
      own_password: password,
    })
    expect(made.body.data.permissions).toEqual(['CLIENTS_VIEW', 'TASKS_VIEW'])
    const path = `/console/accounts/${made.body.data.id}`
    const changed = await admin.ask('PATCH', path, { permissions: ['TASKS_VIEW', ...twice, 'TASKS_VIEW'] })
    expect(changed.body.data.permissions).toEqual(['TASKS_VIEW', 'CLIENTS_VIEW'])
  })

  test('are refused field by field', async () => {
    const admin = await stage.admin()
    const { body } = await admin.ask('POST', '/console/accounts', {
      name: '',
      email: 'x',
      password: 'short',
      permissions: [],
      own_password: password,
    })
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual(['name', 'email', 'password'])
    const taken = await admin.ask('POST', '/console/accounts', { name: 'T', email: admin.email, permissions: [] })
    expect(taken.body.errors).toMatchObject([{ field: 'email', code: 'not_unique' }])
    const root = { name: 'T', email: 'a@b.co', permissions: ['ROOT'] }
    const strange = await admin.ask('POST', '/console/accounts', root)
    expect(strange.body.errors).toMatchObject([{ field: 'permissions', code: 'not_allowed' }])
  })

  test('nobody grants what he does not hold, nor changes somebody who holds more', async () => {
    const admin = await stage.admin()
    const clerk = await stage.person(admin.company, ['ACCOUNTS_MANAGE', 'CLIENTS_VIEW'])
    const grant = (who: number | null, granted: string[]) =>
      who === null
        ? clerk.ask('POST', '/console/accounts', {
            name: 'N',
            email: `${crypto.randomUUID()}@x.co`,
            permissions: granted,
            own_password: password,
          })
        : clerk.ask('PATCH', `/console/accounts/${who}`, { permissions: granted, own_password: password })
    const plain = await stage.person(admin.company, ['CLIENTS_VIEW'])
    for (const who of [null, plain.id, clerk.id]) {
      const answer = await grant(who, ['ACCOUNTS_MANAGE', 'COMPANY_MANAGE'])
      expect(answer.body.errors).toMatchObject([{ field: 'permissions', code: 'not_allowed' }])
    }
    for (const change of [{ password }, { email: 'mine@example.com' }, { disabled: true }, { permissions: [] }]) {
      const answer = await clerk.ask('PATCH', `/console/accounts/${admin.id}`, change)
      expect(answer, JSON.stringify(change)).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } })
    }
    expect((await grant(plain.id, ['ACCOUNTS_MANAGE'])).status).toBe(200)
  })

  test('nobody disables himself or takes his own ACCOUNTS_MANAGE away', async () => {
    const admin = await stage.admin()
    const own = `/console/accounts/${admin.id}`
    expect((await admin.ask('PATCH', own, { disabled: true })).body.errors).toMatchObject([{ field: 'disabled' }])
    const without = permissions.filter((code) => code !== 'ACCOUNTS_MANAGE')
    expect((await admin.ask('PATCH', own, { permissions: without })).body.errors).toMatchObject([
      { field: 'permissions' },
    ])
    expect((await admin.ask('PATCH', own, { name: 'Me' })).status).toBe(200)
  })

  test.each([{ disabled: true }, { password: 'a password given anew' }])(
    '%j ends the sessions [V6.4.3] [V7.4.5]',
    async (change) => {
      const admin = await stage.admin()
      const person = await stage.person(admin.company)
      const own = 'password' in change ? { own_password: password } : {}
      expect((await admin.ask('PATCH', `/console/accounts/${person.id}`, { ...change, ...own })).status).toBe(200)
      expect((await person.get('/console/me')).status).toBe(401)
      const [line] = await stage.sql<{ action: string; changes: object }>(
        "select action, changes from history where records = 'accounts' and record_id = $1 order by id desc limit 1",
        person.id,
      )
      expect(line).toEqual({
        action: 'changed',
        changes: 'disabled' in change ? { disabled: [false, true] } : { password: [null, null] },
      })
    },
  )

  describe('One’s own password', () => {
    const more = ['CLIENTS_VIEW', 'TASKS_VIEW']
    const rows: { what: string; change: object; before?: { permissions?: string[]; disabled?: boolean } }[] = [
      { what: 'another password', change: { password: 'a password given anew' } },
      { what: 'another address', change: { email: 'somebody-else@example.com' } },
      { what: 'a permission more', before: { permissions: ['CLIENTS_VIEW'] }, change: { permissions: more } },
      {
        what: 'a permission instead of another',
        before: { permissions: ['TASKS_VIEW'] },
        change: { permissions: ['CLIENTS_VIEW'] },
      },
      { what: 'the use of a disabled account', before: { disabled: true }, change: { disabled: false } },
    ]
    test.each(rows)('is asked for before somebody gets $what [V7.5.1]', async ({ change, before = {} }) => {
      const admin = await stage.admin()
      const person = await stage.person(admin.company)
      const path = `/console/accounts/${person.id}`
      expect((await admin.ask('PATCH', path, before)).status).toBe(200)
      const now = await admin.data(path)
      const set = (own: object = {}) => admin.ask('PATCH', path, { ...change, ...own })
      expect((await set()).body.errors).toMatchObject([{ field: 'own_password', code: 'required' }])
      const wrong = await set({ own_password: 'not this one' })
      expect(wrong.body.errors).toMatchObject([{ field: 'own_password', code: 'wrong_password' }])
      expect(await admin.data(path)).toEqual(now)
      expect((await set({ own_password: password })).status).toBe(200)
    })

    test.each([{ password: 'a password given anew' }, { email: 'mine-now@example.com' }])(
      'is asked for before one’s own account gets %j here, too',
      async (change) => {
        const admin = await stage.admin()
        const path = `/console/accounts/${admin.id}`
        expect((await admin.ask('PATCH', path, change)).body.errors).toMatchObject([
          { field: 'own_password', code: 'required' },
        ])
      },
    )

    const account = (more: object) => ({
      ...{ name: 'Thief', email: `${crypto.randomUUID()}@example.com`, permissions: [] },
      ...more,
    })
    test.each([{ password: 'a password of a thief' }, { permissions: ['CLIENTS_VIEW'] }, { permissions }])(
      'is asked for before there is an account with %j',
      async (more) => {
        const admin = await stage.admin()
        const accounts = async () => (await admin.data('/console/accounts')).length
        const before = await accounts()
        const create = (own: object = {}) => admin.ask('POST', '/console/accounts', { ...account(more), ...own })
        expect((await create()).body.errors).toMatchObject([{ field: 'own_password', code: 'required' }])
        expect((await create({ own_password: 'guessed' })).body.errors).toMatchObject([
          { field: 'own_password', code: 'wrong_password' },
        ])
        expect(await accounts()).toBe(before)
        expect((await create({ own_password: password })).status).toBe(201)
      },
    )

    test('cannot be guessed with a stolen session: its attempts are counted', async () => {
      const admin = await stage.admin()
      const guess = () => admin.ask('POST', '/console/accounts', account({ permissions, own_password: 'a guess' }))
      for (let tries = 0; tries < 10; tries++) expect((await guess()).status).toBe(422)
      expect(await guess()).toMatchObject({ status: 429 })
    })

    test('is not asked for before something is only named, or taken away', async () => {
      const admin = await stage.admin()
      const person = await stage.person(admin.company)
      expect((await admin.ask('POST', '/console/accounts', account({}))).status).toBe(201)
      const same = { name: 'N', email: admin.email, permissions, disabled: false }
      expect((await admin.ask('PATCH', `/console/accounts/${admin.id}`, same)).status).toBe(200)
      for (const less of [{ permissions: more }, { permissions: [] }, { disabled: true }])
        expect((await admin.ask('PATCH', `/console/accounts/${person.id}`, less)).status).toBe(200)
    })

    test.each([
      { before: null, after: { enabled: true, records_max: 0, always: true }, isAsked: true },
      {
        before: { enabled: true, records_max: 5, always: true },
        after: { enabled: true, records_max: 6, always: true },
        isAsked: true,
      },
      {
        before: { enabled: true, records_max: 5, always: true },
        after: { enabled: true, records_max: 5, always: false },
        isAsked: true,
      },
      {
        before: { enabled: true, records_max: 5, always: false },
        after: { enabled: true, records_max: 5, always: false },
        isAsked: false,
      },
      {
        before: { enabled: true, records_max: 5, always: false },
        after: { enabled: true, records_max: 4, always: true },
        isAsked: false,
      },
      {
        before: { enabled: true, records_max: 5, always: false },
        after: { enabled: false, records_max: 9, always: false },
        isAsked: false,
      },
    ])('is asked for before agents may do more: $before → $after: $isAsked', async ({ before, after, isAsked }) => {
      const admin = await stage.admin()
      const set = (body: object) => admin.ask('PUT', '/console/agents', body)
      if (before) expect((await set({ ...before, own_password: password })).status).toBe(200)
      const was = await admin.data('/console/agents')
      const answer = await set(after)
      if (!isAsked) return expect(answer.status).toBe(200)
      expect(answer.body.errors).toMatchObject([{ field: 'own_password', code: 'required' }])
      const wrong = await set({ ...after, own_password: 'guessed' })
      expect(wrong.body.errors).toMatchObject([{ field: 'own_password', code: 'wrong_password' }])
      expect(await admin.data('/console/agents')).toEqual(was)
      expect((await set({ ...after, own_password: password })).status).toBe(200)
    })
  })

  test('a new password for oneself begins another session there, too', async () => {
    const admin = await stage.admin()
    const next = 'a password given anew'
    const body = { password: next, own_password: password }
    const answer = await admin.ask('PATCH', `/console/accounts/${admin.id}`, body)
    expect((await admin.get('/console/me')).status).toBe(401)
    expect((await stage.ask('GET', '/console/me', { cookie: cookieOf(answer) })).status).toBe(200)
  })

  test('a service account is one that nobody signs in with, whatever is tried', async () => {
    const admin = await stage.admin()
    const service = { name: 'Sync', email: admin.email, permissions: ['CLIENTS_VIEW'], service: true }
    const { id } = await stage.inTransaction((transaction) => createAccount(transaction, admin.company.id, service))
    expect(await admin.data(`/console/accounts/${id}`)).toMatchObject({ service: true, email: admin.email })
    const given = await admin.ask('PATCH', `/console/accounts/${id}`, { password, own_password: password })
    expect(given.body.errors).toMatchObject([{ field: 'password', code: 'not_allowed' }])
    await expect(stage.sql("update accounts set password_hash = 'x' where id = $1", id)).rejects.toThrow(/service/)
    // Its address only says who answers for it.
    expect(await signIn(stage.ask, admin.email)).toMatch(/^plumbline_session=/)
    await admin.company.revoke()
    expect((await issue(admin, { account_id: id })).status).toBe(201)
  })

  test('two who disable each other at once leave one of them', async () => {
    const admin = await stage.admin()
    const other = await stage.person(admin.company)
    const answers = await Promise.all([
      admin.ask('PATCH', `/console/accounts/${other.id}`, { disabled: true }),
      other.ask('PATCH', `/console/accounts/${admin.id}`, { disabled: true }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401])
  })
})

describe('The company', () => {
  test('is shown and changed, and the change is noted', async () => {
    const admin = await stage.admin({ plan: 'STARTER' })
    expect(await admin.data('/console/company')).toMatchObject({
      name: 'Harbor',
      currency: 'USD',
      plan: 'STARTER',
      usage: [
        { records: 'projects', used: 0, limit: 25 },
        { records: 'workers', used: 0, limit: 50 },
      ],
    })
    const change = { name: 'Harbour', currency: 'EUR' }
    const changed = await admin.ask('PATCH', '/console/company', change)
    expect(changed.body.data).toMatchObject(change)
    expect((await admin.data('/console/me')).company).toMatchObject(change)
    const [line] = await stage.sql<{ changes: object }>(
      "select changes from history where records = 'companies' and record_id = $1 order by id desc limit 1",
      admin.company.id,
    )
    expect(line?.changes).toMatchObject({ name: ['Harbor', 'Harbour'], currency: ['USD', 'EUR'] })
  })

  test.each([
    { host: '127.0.0.1', publicUrl: null, plain: false },
    { host: '0.0.0.0', publicUrl: null, plain: true },
    { host: '0.0.0.0', publicUrl: 'https://erp.example.com', plain: false },
    { host: '127.0.0.1', publicUrl: 'http://erp.example.com', plain: true },
  ])('On $host under $publicUrl the company’s page is told whether passwords go unencrypted ($plain).', async (row) => {
    const admin = await stage.admin()
    const { host, publicUrl } = stage.app.config
    Object.assign(stage.app.config, { host: row.host, publicUrl: row.publicUrl })
    const answer = await admin.get('/console/company')
    Object.assign(stage.app.config, { host, publicUrl })
    expect(answer.body.data.is_plain).toBe(row.plain)
  })

  test.each([
    [{ name: '' }, 'name'],
    [{ currency: 'eur' }, 'currency'],
    [{ currency: 'ABC' }, 'currency'],
    [{ currency: 'XAU' }, 'currency'],
    [{ plan: 'PRO' }, 'plan'],
    [{ add_ons: ['api'] }, 'add_ons'],
    [{ id: 1 }, 'id'],
  ])('%j is refused at its field', async (change, field) => {
    const admin = await stage.admin()
    expect((await admin.ask('PATCH', '/console/company', change)).body.errors).toMatchObject([{ field }])
  })

  test.each([
    ['an estimate with lines', 'estimates', { title: 'E', lines: [{ description: 'x', unit_price_minor: 1 }] }],
    ['a project with a budget', 'projects', { name: 'P', budget_minor: 1 }],
    ['a worker with a cost', 'workers', { name: 'W', hourly_cost_minor: 1 }],
  ])('the currency stays once there is %s, deleted or not', async (_what, records, body) => {
    const admin = await stage.admin()
    const { data } = (await admin.ask('POST', `/console/records/${records}`, body)).body
    const refused = async () => {
      const { status, body } = await admin.ask('PATCH', '/console/company', { name: 'Other', currency: 'EUR' })
      expect(status).toBe(422)
      expect(body.errors).toMatchObject([{ field: 'currency', code: 'locked' }])
      expect(body.errors[0].message).toContain(`there are amounts in USD (${records})`)
    }
    await refused()
    expect((await admin.data('/console/company')).amounts_in).toEqual([records])
    await stage.sql(`update ${records} set deleted_at = now() where id = $1`, data.id)
    await refused()
    await expect(admin.company.set({ fields: { currency: 'EUR' } })).rejects.toThrow()
    expect((await admin.data('/console/company')).name).toBe('Harbor')
    expect((await admin.ask('PATCH', '/console/company', { name: 'Other', currency: 'USD' })).status).toBe(200)
  })

  test('an amount that is being written keeps the currency from changing beside it', async () => {
    const admin = await stage.admin()
    const [write, change] = await Promise.all([
      admin.ask('POST', '/console/records/projects', { name: 'P', budget_minor: 100 }),
      admin.ask('PATCH', '/console/company', { currency: 'EUR' }),
    ])
    expect(write.status).toBe(201)
    const { currency } = await admin.data('/console/company')
    expect(currency).toBe(change.status === 200 ? 'EUR' : 'USD')
  })

  test('a company keeps a currency that is one no longer, until it takes another', async () => {
    const admin = await stage.admin()
    await stage.sql("update companies set currency = 'DEM' where id = $1", admin.company.id)
    const same = await admin.ask('PATCH', '/console/company', { name: 'Hafen', currency: 'DEM' })
    expect(same.body.data).toMatchObject({ name: 'Hafen', currency: 'DEM' })
    expect((await admin.ask('PATCH', '/console/company', { currency: 'EUR' })).status).toBe(200)
    const back = await admin.ask('PATCH', '/console/company', { currency: 'DEM' })
    expect(back.body.errors).toMatchObject([{ field: 'currency', code: 'wrong_format' }])
  })
})
