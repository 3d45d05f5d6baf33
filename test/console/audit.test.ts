import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { AuditEntry } from '#derive/console/responses.ts'
import { permissions } from '#registry/permissions.ts'
import { accounts } from '#registry/persons.ts'
import { readConfig } from '#server/config/config.ts'
import { choresOf, sweep } from '#server/jobs/sweep.ts'
import { operator } from '#server/records/actor.ts'
import { createAccount, setAccount } from '#server/service/account.ts'
import { setCompany } from '#server/service/company.ts'
import { erasePerson } from '#server/service/erase-person.ts'
import type { Company } from '../stage/stage.ts'
import { eventually, untilTold } from '../stage/wait.ts'
import { type ConsoleStage, cookieOf, openConsole, type Person, password, signIn } from './stage.ts'

/** Settings, Audit: who signed in, what was set, and what left the company. */
let stage: ConsoleStage
let plainRead: ConsoleStage['app']['database']['read']
beforeAll(async () => {
  stage = await openConsole({ WEBHOOK_NETWORKS: '127.0.0.1' })
  plainRead = stage.app.database.read
})
afterAll(() => stage.close())

type Admin = Person & { company: Company }

const entries = (person: Person, query = ''): Promise<AuditEntry[]> => person.data(`/console/audit${query}`)
const newest = async (person: Person): Promise<AuditEntry> => (await entries(person, '?limit=1'))[0] as AuditEntry
const until = (person: Person, action: string): Promise<AuditEntry> =>
  eventually(async () => {
    const [entry] = await entries(person, `?action=${action}`)
    if (!entry) throw new Error(`no ${action}`)
    return entry
  })

const succeed = async (asked: ReturnType<Person['ask']>) => {
  const answer = await asked
  if (answer.status >= 400) throw new Error(answer.text)
  return answer.body?.data
}

const headers = { 'User-Agent': 'Tester\t1', 'X-Forwarded-For': `1.2.3.4, ${'x'.repeat(300)}` }
const begin = (email: string, given = password) =>
  stage.ask('POST', '/console/session', { body: { email, password: given }, headers })

/** A webhook that is made beforehand. */
const webhook = async (admin: Admin): Promise<string> => {
  const wanted = {
    name: 'Ledger',
    url: 'http://127.0.0.1:9/',
    events: ['clients.created'],
    payload: 'full',
    ordered: true,
  }
  const { webhook: made } = await succeed(admin.ask('POST', '/console/webhooks', { ...wanted, password }))
  return `/console/webhooks/${made.id}`
}

type Action = {
  what: string
  done(admin: Admin, person: Person): Promise<unknown>
  /** The newest entry, or the one of this action. */
  leaves: Partial<Omit<AuditEntry, 'actor'>>
  /** Who did it, if not the administrator. */
  by?: 'person' | 'nobody'
  about?: 'admin' | 'person'
}

const none = expect.any(Array)
const actions: readonly Action[] = [
  {
    what: 'A sign-in',
    done: (_, person) => begin(person.email),
    leaves: { action: 'signed_in', records: 'sessions', changes: { sessions: [[], [expect.any(Number)]] } as never },
    by: 'person',
    about: 'person',
  },
  {
    what: 'A wrong password',
    done: (_, person) => begin(person.email, 'not the password at all'),
    leaves: { action: 'sign_in_failed', records: 'sessions', changes: null },
    by: 'nobody',
    about: 'person',
  },
  {
    what: 'Signing out',
    done: (_, person) => stage.ask('DELETE', '/console/session', { cookie: person.cookie }),
    leaves: { action: 'signed_out', records: 'sessions', changes: { sessions: [none, []] } as never },
    by: 'person',
    about: 'person',
  },
  {
    what: 'Ending one of one’s sessions',
    done: async (_, person) => {
      await signIn(stage.ask, person.email)
      const [other] = (await person.data('/console/sessions')).filter(({ is_this }: { is_this: boolean }) => !is_this)
      await succeed(person.ask('DELETE', `/console/sessions/${other.id}`))
    },
    leaves: {
      action: 'sessions_ended',
      records: 'sessions',
      changes: { sessions: [[expect.any(Number)], []] } as never,
    },
    by: 'person',
    about: 'person',
  },
  {
    what: 'Ending all others',
    done: async (_, person) => {
      for (const _time of [1, 2]) await signIn(stage.ask, person.email)
      await succeed(person.ask('DELETE', '/console/sessions'))
    },
    leaves: {
      action: 'sessions_ended',
      changes: { sessions: [[expect.any(Number), expect.any(Number)], []] } as never,
    },
    by: 'person',
    about: 'person',
  },
  {
    what: 'A new password of one’s own, which ends sessions',
    done: (_, person) =>
      succeed(person.ask('PATCH', '/console/me', { password: { current: password, next: 'quite another one, 71 x' } })),
    leaves: { action: 'sessions_ended', records: 'sessions' },
    by: 'person',
    about: 'person',
  },
  {
    what: 'Disabling an account, which ends its sessions',
    done: (admin, person) => succeed(admin.ask('PATCH', `/console/accounts/${person.id}`, { disabled: true })),
    leaves: { action: 'sessions_ended', records: 'sessions' },
    about: 'person',
  },
  {
    what: 'Another permission',
    done: (admin, person) => succeed(admin.ask('PATCH', `/console/accounts/${person.id}`, { permissions: [] })),
    leaves: { action: 'changed', records: 'accounts', changes: { permissions: [none, []] } as never },
    about: 'person',
  },
  {
    what: 'A new account',
    done: (admin) =>
      succeed(
        admin.ask('POST', '/console/accounts', {
          name: 'N',
          email: `${crypto.randomUUID()}@e.example`,
          permissions: [],
        }),
      ),
    leaves: { action: 'created', records: 'accounts', title: 'N', changes: null },
  },
  {
    what: 'An account that the operator makes',
    done: (admin) =>
      stage.inTransaction((transaction) =>
        createAccount(transaction, admin.company.id, { name: 'O', email: 'o@e.example', permissions: [] }),
      ),
    leaves: { action: 'created', records: 'accounts', title: 'O', channel: 'command', peer: null, request_id: null },
    by: 'nobody',
  },
  {
    what: 'An account that the operator changes',
    done: (admin, person) =>
      stage.inTransaction((transaction) => setAccount(transaction, admin.company.id, person.id, { name: 'P' })),
    leaves: {
      action: 'changed',
      records: 'accounts',
      title: 'P',
      channel: 'command',
      changes: { name: ['Femi', 'P'] },
    },
    by: 'nobody',
    about: 'person',
  },
  {
    what: 'A company that the operator changes',
    done: (admin) =>
      stage.inTransaction((transaction) => setCompany(transaction, admin.company.id, { plan: 'STARTER' })),
    leaves: {
      action: 'changed',
      records: 'companies',
      channel: 'command',
      changes: { plan: [expect.any(String), 'STARTER'] } as never,
    },
    by: 'nobody',
  },
  ...(
    [
      ['Showing the token', 'shown', (admin: Admin) => admin.ask('POST', '/console/token/show', { password })],
      ['Rotating it', 'rotated', (admin: Admin) => admin.ask('POST', '/console/token/rotate', { password })],
      ['Revoking it', 'revoked', (admin: Admin) => admin.ask('POST', '/console/token/revoke', { password })],
      [
        'Other addresses for it',
        'allowlist set',
        (admin: Admin) => admin.ask('PUT', '/console/token/allowlist', { allowlist: ['203.0.113.7'], password }),
      ],
      [
        'Another label for it',
        'changed',
        (admin: Admin) => admin.ask('PATCH', '/console/token', { label: 'Other', password }),
      ],
    ] as const
  ).map(
    ([what, action, ask]): Action => ({
      what,
      done: (admin) => succeed(ask(admin)),
      leaves: { action, records: 'tokens' },
    }),
  ),
  {
    what: 'Issuing a token',
    done: async (admin) => {
      await succeed(admin.ask('POST', '/console/token/revoke', { password }))
      const wanted = { label: 'L', scopes: ['CLIENTS_VIEW'], account_id: admin.id, password }
      await succeed(admin.ask('POST', '/console/token', wanted))
    },
    leaves: { action: 'issued', records: 'tokens', title: 'L' },
  },
  {
    what: 'A new webhook',
    done: webhook,
    leaves: { action: 'created', records: 'webhook_endpoints', title: 'Ledger' },
  },
  ...(
    [
      ['Changing a webhook', 'changed', 'PATCH', '', { name: 'Books', password }],
      ['Rotating its secret', 'rotated', 'POST', '/rotate', { password }],
      ['Switching it off', 'disabled', 'POST', '/disable', undefined],
      ['Enabling it', 'enabled', 'POST', '/enable', { password }],
      ['Replaying it', 'replayed', 'POST', '/replay', { from: new Date().toISOString(), password }],
      ['Deleting it', 'deleted', 'DELETE', '', undefined],
    ] as const
  ).map(
    ([what, action, method, path, body]): Action => ({
      what,
      done: async (admin) => succeed(admin.ask(method, (await webhook(admin)) + path, body)),
      leaves: { action, records: 'webhook_endpoints' },
    }),
  ),
  {
    what: 'Another name of the company',
    done: (admin) => succeed(admin.ask('PATCH', '/console/company', { name: 'Renamed' })),
    leaves: { action: 'changed', records: 'companies', changes: { name: [expect.any(String), 'Renamed'] } as never },
  },
  {
    what: 'The switch for what calls say',
    done: (admin) => succeed(admin.ask('PUT', '/console/calls/details-switch', { keeps: false })),
    leaves: { action: 'changed', records: 'calls', changes: { keeps_details: [true, false] } },
  },
  {
    what: 'Agents',
    done: (admin) =>
      succeed(
        admin.ask('PUT', '/console/agents', { enabled: true, records_max: 5, always: false, own_password: password }),
      ),
    leaves: { action: 'changed', records: 'agents' },
  },
  {
    what: 'Records as CSV',
    done: async (admin) => {
      await admin.company.record('clients', { name: 'A' })
      expect((await admin.get('/console/records/clients.csv')).status).toBe(200)
    },
    leaves: { action: 'exported', records: 'exports', changes: { resource: [null, 'clients'], rows: [null, 1] } },
  },
  ...(['csv', 'json'] as const).map(
    (format): Action => ({
      what: `The audit as ${format}`,
      done: async (admin) => expect((await admin.get(`/console/audit.${format}`)).status).toBe(200),
      leaves: {
        action: 'exported',
        records: 'exports',
        changes: { resource: [null, 'audit'], format: [null, format] },
      },
    }),
  ),
  {
    what: 'An import',
    done: (admin) =>
      succeed(
        admin.ask('POST', '/console/imports/clients', {
          file_name: 'Ada.csv',
          fingerprint: 'f',
          settings: {},
          rows: 3,
        }),
      ),
    leaves: {
      action: 'import_begun',
      records: 'imports',
      changes: { resource: [null, 'clients'], rows: [null, 3], write_id: [null, expect.any(String)] } as never,
    },
  },
]

describe('What leaves a row [V16.3.1]', () => {
  test.each(actions)('$what', async ({ done, leaves, by = 'admin', about }) => {
    const admin = await stage.admin()
    const person = await stage.person(admin.company)
    const whose = { admin: admin.id, person: person.id }
    await done(admin, person)
    // A failed sign-in is noted beside its answer.
    const entry = leaves.action === 'sign_in_failed' ? await until(admin, 'sign_in_failed') : await newest(admin)
    expect(entry).toMatchObject({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      channel: 'console',
      ...leaves,
      ...(about ? { record_id: whose[about] } : {}),
      actor: by === 'nobody' ? null : { id: whose[by as keyof typeof whose], name: 'Femi' },
    })
    const fromRequest = entry.channel === 'console'
    expect(entry.peer).toBe(fromRequest ? '127.0.0.1' : null)
    expect(entry.request_id).toEqual(fromRequest ? expect.stringMatching(/^[0-9a-f-]{36}$/) : null)
    expect(Object.keys(entry).toSorted()).toEqual(
      [
        ...['id', 'at', 'action', 'records', 'record_id', 'title', 'actor', 'channel', 'peer', 'forwarded_for'],
        ...['device', 'request_id', 'changes'],
      ].toSorted(),
    )
  })

  test('What a request claims of itself is printable and cut; no password and no typed address is in any row', async () => {
    const admin = await stage.admin()
    const typed = admin.email.toUpperCase()
    expect((await begin(typed, 'a wrong one, typed in haste')).status).toBe(401)
    expect((await begin(typed)).status).toBe(200)
    const failed = await until(admin, 'sign_in_failed')
    const [signedIn] = await entries(admin, '?action=signed_in')
    for (const entry of [failed, signedIn])
      expect(entry).toMatchObject({ device: 'Tester1', forwarded_for: `1.2.3.4, ${'x'.repeat(300)}`.slice(0, 200) })
    const rows = await stage.sql<{ row: string }>(
      'select row_to_json(h)::text as row from history h where company_id = $1',
      admin.company.id,
    )
    const text = rows.map(({ row }) => row).join('\n')
    for (const secret of [typed, password, 'typed in haste']) expect(text).not.toContain(secret)
  })

  test('A try that the throttle turns away, and an address that nobody has, leave none: rows are bounded by tries', async () => {
    const admin = await stage.admin()
    const statuses: number[] = []
    for (let tried = 0; tried < 13; tried++) statuses.push((await begin(admin.email, `wrong ${tried}`)).status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    const failures = () => entries(admin, '?action=sign_in_failed')
    await eventually(async () => expect(await failures()).toHaveLength(10))
    const [{ count: before } = { count: 0 }] = await stage.sql<{ count: number }>('select count(*)::int from history')
    expect((await begin(`${crypto.randomUUID()}@nobody.example`)).status).toBe(401)
    expect((await begin(admin.email)).status).toBe(429)
    // A later row is there, and no more than that one.
    await succeed(admin.ask('PATCH', '/console/company', { name: 'Later' }))
    const [{ count: after } = { count: 0 }] = await stage.sql<{ count: number }>('select count(*)::int from history')
    expect([await failures(), after - before]).toEqual([expect.objectContaining({ length: 10 }), 1])
  })
})

describe('Who sees it', () => {
  test.each(['/console/audit', '/console/audit.csv', '/console/audit.json'])(
    '%s needs AUDIT_VIEW, and all other permissions do not do',
    async (path) => {
      const admin = await stage.admin()
      const others = permissions.filter((code) => code !== 'AUDIT_VIEW')
      const refused = await (await stage.person(admin.company, others)).get(path)
      expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_scope', required_scope: 'AUDIT_VIEW' } })
      expect((await (await stage.person(admin.company, ['AUDIT_VIEW'])).get(path)).status).toBe(200)
    },
  )

  test('No row of another company is in a page or a file', async () => {
    const [one, other] = [await stage.admin(), await stage.admin()]
    await succeed(other.ask('PATCH', '/console/company', { name: 'Theirs' }))
    for (const path of ['', '.csv', '.json']) {
      const { text } = await one.get(`/console/audit${path}${path === '' ? `?actor=${other.id}` : ''}`)
      expect(text).not.toContain('Theirs')
    }
    expect(await entries(one, `?actor=${other.id}`)).toEqual([])
  })
})

/** A company with many rows, each with its place in `record_id`, a minute apart. */
async function withMany(count: number, deviceCharacters = 10): Promise<Admin> {
  const admin = await stage.admin()
  await stage.sql(
    `insert into history (company_id, account_id, door, records, record_id, action, epoch, pos, at, device)
      select $1, $2, 'web', case when n % 3 = 0 then 'exports' else 'sessions' end, n, 'made ' || n % 5, 1, '0',
        now() - make_interval(mins => n::int), repeat('d', $4::int)
      from generate_series(1, $3::bigint) n`,
    ...[admin.company.id, admin.id, count, deviceCharacters],
  )
  return admin
}

describe('Filters and pages', () => {
  let admin: Admin
  let all: AuditEntry[]
  beforeAll(async () => {
    admin = await withMany(90)
    all = await entries(admin, '?limit=100')
  })

  const [day] = new Date(Date.now() - 24 * 3600 * 1000).toISOString().split('T')
  const filters: { query: string; keeps(entry: AuditEntry): boolean }[] = [
    { query: 'records=exports', keeps: ({ records }) => records === 'exports' },
    { query: 'action=made 2', keeps: ({ action }) => action === 'made 2' },
    {
      query: 'records=sessions&action=made 4',
      keeps: (entry) => entry.records === 'sessions' && entry.action === 'made 4',
    },
    { query: `from=${day}`, keeps: () => true },
    { query: `to=${day}`, keeps: ({ at }) => at.slice(0, 10) <= `${day}` },
    { query: 'actor=1&to=2001-01-01', keeps: () => false },
  ]
  test.each(filters)('$query', async ({ query, keeps }) => {
    const { body } = await admin.get(`/console/audit?limit=100&${query.replaceAll(' ', '%20')}`)
    const wanted = all.filter(keeps)
    expect(body.data).toEqual(wanted)
    expect(body.meta.total).toBe(wanted.length)
  })

  test('an actor and a moment', async () => {
    const of = (query: string) => entries(admin, `?limit=100&${query}`)
    expect(await of(`actor=${admin.id}`)).toEqual(all.filter(({ actor }) => actor?.id === admin.id))
    const { at } = all[40] as AuditEntry
    expect(await of(`from=${at}&to=${at}`)).toEqual(all.filter((entry) => entry.at === at))
  })

  test.each(['records=clients', 'from=yesterday', 'to=2026-02-30', 'actor=x', 'actor=0', 'limit=0'])(
    '%s is refused',
    async (query) => {
      expect(await admin.get(`/console/audit?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_parameter' },
      })
    },
  )

  test('a parameter that there is not is refused', async () => {
    expect(await admin.get('/console/audit?peer=1')).toMatchObject({ status: 400, body: { code: 'unknown_parameter' } })
  })

  test('Pages have every row once, newest first, and the file has the same rows', async () => {
    const paged: AuditEntry[] = []
    for (let offset = 0; offset < all.length; offset += 20)
      paged.push(...(await entries(admin, `?limit=20&offset=${offset}`)))
    expect(paged).toEqual(all)
    expect(paged.map(({ at }) => at)).toEqual(
      paged
        .map(({ at }) => at)
        .toSorted()
        .reverse(),
    )
    const file = await admin.get('/console/audit.json')
    expect(file.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': expect.stringMatching(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.json"$/),
    })
    // The file has its own row too.
    expect(file.body.data.slice(1)).toEqual(all)
    const csv = await admin.get('/console/audit.csv?records=sessions')
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
    const lines = csv.text.trimEnd().split('\r\n')
    expect(lines[0]).toBe(
      '\ufeffid,at,action,records,record_id,title,actor_id,actor_name,channel,peer,forwarded_for,device,request_id,changes',
    )
    expect(lines.slice(1).map((line) => Number(line.split(',')[0]))).toEqual(
      all.filter(({ records }) => records === 'sessions').map(({ id }) => id),
    )
  })
})

test('A long audit is streamed: no more of it is read than its reader has taken, and he gets all of it', async () => {
  const [count, deviceCharacters] = [12_000, 2000]
  const admin = await withMany(count, deviceCharacters)
  let pages = 0
  const read = vi.spyOn(stage.app.database, 'read')
  read.mockImplementation(((statement, share) => {
    if ('text' in statement && statement.text.includes('h.forwarded_for')) pages++
    return plainRead(statement, share)
  }) as typeof plainRead)
  try {
    const sent = { Cookie: admin.cookie, 'Accept-Encoding': 'identity' }
    const response = await fetch(`${stage.url}/console/audit.json`, { headers: sent })
    // Until the buffers between the two are full.
    for (let seen = -1; seen !== pages; ) {
      seen = pages
      for (let time = 0; time < 5; time++) await admin.get('/console/me')
    }
    expect(pages).toBeGreaterThan(0)
    expect(pages).toBeLessThan(count / 500 - 5)
    const { data } = (await response.json()) as { data: AuditEntry[] }
    expect(pages).toBe(count / 500 + 1)
    const made = data.filter(({ action }) => action.startsWith('made '))
    expect(made.map(({ record_id }) => record_id)).toEqual(Array.from({ length: count }, (_, index) => index + 1))
  } finally {
    read.mockRestore()
  }
})

describe('How long it is kept', () => {
  test('Sign-ins, exports and imports go once they are as old as AUDIT_KEPT_DAYS; settings stay', async () => {
    const admin = await stage.admin()
    await begin(admin.email)
    await admin.get('/console/records/clients.csv')
    const rows = () =>
      stage.sql<{ records: string }>('select records from history where company_id = $1 order by id', admin.company.id)
    const before = (await rows()).map(({ records }) => records)
    expect(before.slice(-2)).toEqual(['sessions', 'exports'])
    const age = (days: number) =>
      stage.sql(
        'update history set at = now() - make_interval(days => $2::int) where company_id = $1',
        ...[admin.company.id, days],
      )
    const swept = () => sweep(stage.app.database, choresOf(readConfig({})).audit, () => false)
    await age(399)
    expect(await swept()).toBe(0)
    await age(401)
    expect(await swept()).toBe(2)
    expect((await rows()).map(({ records }) => records)).toEqual(before.slice(0, -2))
    expect(await swept()).toBe(0)
  })

  test('An erased account’s rows stay, without peer, claim and device; others’ rows are as they were', async () => {
    const admin = await stage.admin()
    const person = await stage.person(admin.company)
    await begin(person.email, 'not it')
    await until(admin, 'sign_in_failed')
    await begin(person.email)
    await person.get('/console/records/clients.csv')
    const erased = { companyId: admin.company.id, kind: accounts, id: person.id }
    await succeed(admin.ask('PATCH', `/console/accounts/${person.id}`, { disabled: true }))
    const before = await entries(admin, '?limit=100')
    await stage.inTransaction((transaction) =>
      erasePerson(transaction, operator(admin.company.id), { ...erased, reason: 'asked' }),
    )
    const after = await entries(admin, '?limit=100')
    const isTheirs = ({ actor, records, record_id }: AuditEntry) =>
      actor?.id === person.id || (records === 'sessions' && record_id === person.id)
    const known = after.filter(({ id }) => before.some((entry) => entry.id === id))
    expect(known).toHaveLength(before.length)
    expect(known.filter(isTheirs).length).toBeGreaterThan(3)
    for (const entry of known.filter(isTheirs))
      expect(entry).toMatchObject({ peer: null, forwarded_for: null, device: null })
    const others = (rows: AuditEntry[]) => rows.filter((entry) => !isTheirs(entry)).map(({ id, peer }) => [id, peer])
    expect(others(known)).toEqual(others(before))
  })
})

test('The feed of changes tells nothing of it, and a cursor goes on behind it', async () => {
  const admin = await stage.admin()
  await admin.company.record('clients', { name: 'First' })
  await begin(admin.email)
  await begin(admin.email, 'wrong')
  await until(admin, 'sign_in_failed')
  await admin.get('/console/records/clients.csv')
  await admin.company.record('clients', { name: 'Second' })
  await untilTold(stage)
  const { body } = await admin.company.get('/v1/changes')
  expect(body.data.map(({ event }: { event: string }) => event)).toEqual(['clients.created', 'clients.created'])
  const refused = await admin.company.get('/v1/changes?records=sessions')
  expect(refused.status).toBe(400)
  const cookie = cookieOf(await begin(admin.email))
  expect(cookie).toContain('plumbline_session=')
  await untilTold(stage)
  const next = await admin.company.get(`/v1/changes?after=${body.meta.next}`)
  expect(next.body.data).toEqual([])
})
