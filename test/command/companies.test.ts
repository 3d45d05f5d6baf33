import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { permissions, scopes } from '#registry/permissions.ts'
import { registry } from '#registry/resources/index.ts'
import type { OpenApp } from '#server/app.ts'
import { type CommandOutput, createStage, jsonOf, type Stage } from './stage.ts'

let stage: Stage
let opened: OpenApp
beforeAll(async () => {
  stage = await createStage('migrated')
  // Kept open, so that the commands find the database running.
  opened = await stage.open()
})
afterAll(async () => {
  await opened.close()
  await stage.clear()
})

const give = (...words: string[]): Promise<CommandOutput> => stage.give(words)
const json = async (...words: string[]) => jsonOf(await give(...words, '--json'))

async function newCompany(...words: string[]): Promise<string> {
  return String((await json('company', 'create', '--name', 'Quay Builders', ...words)).company_id)
}

const addresses = { used: 0 }
async function newAccount(company: string, ...words: string[]): Promise<string> {
  const email = `account-${++addresses.used}@example.com`
  const made = await json(
    'account',
    'create',
    '--company',
    company,
    '--name',
    'Grace Okafor',
    '--email',
    email,
    ...words,
  )
  return String(made.account_id)
}

describe('company', () => {
  test('create says the id alone with --json, and a sentence without.', async () => {
    expect(await json('company', 'create', '--name', 'One', '--plan', 'PRO', '--add-ons', 'all')).toEqual({
      company_id: expect.any(Number),
    })
    const { code, out, err } = await give('company', 'create', '--name', 'Two', '--currency', 'EUR')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^Created Two \(company \d+\): plan STARTER, add-on api, EUR\.\n$/)
  })

  test('--json may stand before the command and between its words.', async () => {
    expect(jsonOf(await give('--json', 'company', 'create', '--name', 'A'))).toHaveProperty('company_id')
    expect(jsonOf(await give('company', '--json', 'create', '--name', 'A'))).toHaveProperty('company_id')
  })

  test('set changes what is given and keeps the rest.', async () => {
    const id = await newCompany('--add-ons', 'api,estimates')
    expect(await json('company', 'set', id, '--plan', 'ENTERPRISE')).toEqual({
      company_id: Number(id),
      name: 'Quay Builders',
      plan: 'ENTERPRISE',
      add_ons: ['api', 'estimates'],
      currency: 'USD',
      time_zone: 'UTC',
      is_demo: false,
    })
    const { out } = await give(
      'company',
      'set',
      id,
      '--add-ons',
      'none',
      '--name',
      'Quay',
      '--time-zone',
      'Europe/Berlin',
    )
    expect(out).toBe(`Quay (company ${id}) has plan ENTERPRISE, no add-ons, USD, the time zone Europe/Berlin.\n`)
    expect((await give('company', 'show', id)).out).toContain('Time zone Europe/Berlin')
    const refused = await give('company', 'set', id, '--time-zone', 'Berlin')
    expect(refused.code).not.toBe(0)
    expect(refused.err).toContain('must be a time zone of the IANA database like Europe/Berlin')
  })

  test('show tells the plan and its use, accounts and the token without its text.', async () => {
    const id = await newCompany('--plan', 'PRO')
    const account = await newAccount(id, '--permissions', 'PROJECTS_VIEW')
    const { token } = await json('token', 'issue', '--company', id, '--account', account, '--label', 'Reports')
    await json('record', 'create', 'projects', '--company', id, '--json-body', '{"name":"Wall"}')

    const shown = await json('company', 'show', id)
    expect(shown).toMatchObject({
      company_id: Number(id),
      usage: { projects: { used: 1, limit: 250 }, workers: { used: 0, limit: 500 } },
      accounts: [{ account_id: Number(account), permissions: ['PROJECTS_VIEW'], disabled: false }],
      token: {
        account_id: Number(account),
        label: 'Reports',
        scopes: ['PROJECTS_VIEW'],
        allowlist: [],
        expires_at: null,
      },
    })
    const { out } = await give('company', 'show', id)
    expect(out).toContain('Projects  1 of 250')
    expect(out).toContain('"Reports" of account')
    expect(out + JSON.stringify(shown)).not.toContain(token)
  })
})

describe('token issue --until', () => {
  test('gives the token an end, which issue, show and company show tell; rotating it gives the same length again.', async () => {
    const id = await newCompany()
    const account = await newAccount(id)
    const until = new Date(Date.now() + 24 * 3600 * 1000).toISOString()
    const words = ['token', 'issue', '--company', id, '--account', account, '--until']
    expect(await json(...words, until)).toMatchObject({ expires_at: until })
    expect((await give('token', 'show', '--company', id)).out).toContain(`until ${until}:`)
    expect((await give('company', 'show', id)).out).toContain(`from any address, until ${until}`)
    const { expires_at } = (await json('token', 'rotate', '--company', id)) as { expires_at: string }
    expect(new Date(expires_at).getTime()).toBeGreaterThan(new Date(until).getTime())
  })

  test.each([
    ['2020-01-01', 'expires_at must be a moment to come'],
    ['soon', '--until must be a day or a moment like 2026-03-31T12:00:00Z and not "soon"'],
  ])('%s is refused, and no token is there.', async (until, says) => {
    const id = await newCompany()
    const account = await newAccount(id)
    const said = await give('token', 'issue', '--company', id, '--account', account, '--until', until)
    expect(said.err).toContain(says)
    expect(await json('company', 'show', id)).toMatchObject({ token: null })
  })
})

describe('account', () => {
  test('create gives all permissions unless told otherwise.', async () => {
    const company = await newCompany()
    await newAccount(company)
    await newAccount(company, '--permissions', 'none')
    const { accounts } = (await json('company', 'show', company)) as { accounts: { permissions: string[] }[] }
    expect(accounts.map((account) => account.permissions)).toEqual([permissions, []])
  })

  test('create --service makes one that nobody can sign in with, now or later.', async () => {
    const company = await newCompany()
    const words = ['account', 'create', '--company', company, '--name', 'Payroll sync', '--email', 'it@example.com']
    const { account_id } = await json(...words, '--service', '--permissions', 'WORKERS_VIEW')
    const said = await give(...words, '--service', '--permissions', 'WORKERS_VIEW')
    expect(said.out).toMatch(/Payroll sync <it@example\.com>, a service account, with 1 permissions\.\n$/)
    expect((await give(...words, '--service', '--password', 'kettle mossy ferry')).err).toBe(
      'Give --service or --password, not both: nobody signs in with a service account.\n',
    )
    expect((await give('account', 'set', String(account_id), '--password', 'kettle mossy ferry')).err).toBe(
      'password cannot be given to a service account: nobody signs in with it.\n',
    )
    const { accounts } = (await json('company', 'show', company)) as { accounts: object[] }
    expect(accounts[0]).toMatchObject({ service: true, email: 'it@example.com' })
    expect(await json('token', 'issue', '--company', company, '--account', String(account_id))).toHaveProperty('token')
  })

  test('a password that is easily guessed is refused with what to do.', async () => {
    const account = await newAccount(await newCompany())
    expect((await give('account', 'set', account, '--password', 'password1')).err).toBe(
      'password is easily guessed; choose several words that do not belong together.\n',
    )
  })

  test('set finds the account by its id alone; a password may come by the standard input.', async () => {
    const account = await newAccount(await newCompany())
    expect(await json('account', 'set', account, '--permissions', 'CLIENTS_VIEW', '--disable')).toMatchObject({
      account_id: Number(account),
      permissions: ['CLIENTS_VIEW'],
      disabled: true,
    })
    expect(await json('account', 'set', account, '--enable')).toMatchObject({
      permissions: ['CLIENTS_VIEW'],
      disabled: false,
    })
    const { code, out } = await stage.give(['account', 'set', account, '--password', '-'], {}, 'a long enough one\n')
    expect({ code, out }).toEqual({
      code: 0,
      out: `Account ${account} is Grace Okafor <account-${addresses.used}@example.com>, with 1 permissions.\n`,
    })
    const rows = await opened.app.database.read<{ password_hash: string }>({
      text: 'select password_hash from accounts where id = $1',
      values: [account],
    })
    expect(rows[0]?.password_hash).toMatch(/^\$argon2id\$/)
  })
})

describe('token', () => {
  test('issue, show, rotate, allow and revoke, one after the other.', async () => {
    const company = await newCompany()
    const account = await newAccount(company)
    const of = ['--company', company]

    const issued = await json('token', 'issue', ...of, '--account', account, '--allow', '203.0.113.7,198.51.100.0/24')
    expect(issued).toEqual({ token: expect.stringMatching(/^plumb_live_[0-9a-f]{72}$/), expires_at: null })
    expect(await json('token', 'show', ...of)).toEqual(issued)
    expect((await give('token', 'show', ...of)).out).toContain(`\n\n  ${issued.token}\n`)

    const rotated = await json('token', 'rotate', ...of)
    expect(rotated).toEqual({ token: expect.stringMatching(/^plumb_live_[0-9a-f]{72}$/), expires_at: null })
    expect(rotated).not.toEqual(issued)
    expect(await json('company', 'show', company)).toMatchObject({
      token: { scopes, allowlist: ['203.0.113.7/32', '198.51.100.0/24'] },
    })

    expect(await json('token', 'allow', ...of, 'none')).toEqual({ allowlist: [] })
    expect((await give('token', 'allow', ...of, '203.0.113.7')).out).toBe(
      'The token may be used from 203.0.113.7/32 alone.\n',
    )
    expect(await json('token', 'revoke', ...of)).toEqual({ company_id: Number(company), revoked: true })
    expect((await give('token', 'show', ...of)).err).toBe('The company has no active token; issue one.\n')
  })

  test('The history names every showing.', async () => {
    const company = await newCompany()
    await json('token', 'issue', '--company', company, '--account', await newAccount(company))
    await json('token', 'show', '--company', company)
    const rows = await opened.app.database.read<{ action: string; door: string }>({
      text: "select action, door from history where company_id = $1 and records = 'tokens' order by id",
      values: [company],
    })
    expect(rows).toEqual([
      { action: 'issued', door: 'command' },
      { action: 'shown', door: 'command' },
    ])
  })
})

describe('record create', () => {
  test('makes a record of any kind, the ERP-only ones too.', async () => {
    const company = await newCompany('--add-ons', 'none')
    const make = async (kind: string, body: object) =>
      (await json('record', 'create', kind, '--company', company, '--json-body', JSON.stringify(body))).id as number
    const project = await make('projects', { name: 'Wall' })
    const worker = await make('workers', { name: 'Ivo' })
    const client = await make('clients', { name: 'Marina' })
    const subcontractor = await make('subcontractors', { name: 'Crane Hire' })
    const equipment = await make('equipment', { name: 'Saw' })
    const lines = [{ description: 'Wall', quantity: 1, unit: null, unit_price_minor: 100 }]
    const issued = { status: 'ISSUED', issued_on: '2026-03-02', due_on: '2026-03-31', lines }
    const invoice = await make('invoices', { client_id: client, ...issued })
    const bodies: { [kind: string]: object } = {
      estimates: { title: 'Wall' },
      trades: { name: 'Mason' },
      categories: { name: 'Paving', kind: 'project' },
      tasks: { project_id: project, title: 'Dig' },
      contacts: { client_id: client, name: 'Tess' },
      time_entries: { worker_id: worker, project_id: project, worked_on: '2026-03-02', hours: 8 },
      invoices: { client_id: client },
      payments: { invoice_id: invoice, paid_on: '2026-03-03', amount_minor: 40 },
      contracts: { subcontractor_id: subcontractor, title: 'Crane' },
      equipment_logs: { equipment_id: equipment, logged_on: '2026-03-02' },
    }
    for (const [kind, body] of Object.entries(bodies)) expect(await make(kind, body), kind).toBeGreaterThan(0)
    expect(registry).toHaveLength(Object.keys(bodies).length + 5)

    const { out } = await give(
      'record',
      'create',
      'time_entries',
      '--company',
      company,
      '--json-body',
      JSON.stringify(bodies.time_entries),
    )
    expect(out).toMatch(new RegExp(`^Created time entry \\d+ of Quay Builders \\(company ${company}\\)\\.\n$`))
  })

  test('reads the body from the standard input for -.', async () => {
    const words = ['record', 'create', 'clients', '--company', await newCompany(), '--json-body', '-', '--json']
    expect(jsonOf(await stage.give(words, {}, '{"name":"Höhe"}\n'))).toEqual({ id: expect.any(Number) })
  })
})

describe('A mistake is one sentence, nothing is written, and the exit code is 1', () => {
  test.for([
    [['company', 'show', '999'], 'There is no company 999. "plumbline company list" shows them.'],
    [['company', 'set', '999', '--plan', 'PRO'], 'There is no company 999. "plumbline company list" shows them.'],
    [
      ['company', 'create', '--name', ' ', '--plan', 'GOLD', '--add-ons', 'api,x', '--currency', 'usd'],
      'name must be text of 1 to 200 characters; currency must be a code of ISO 4217 like USD; plan must be one of STARTER, PRO, ENTERPRISE; add_ons has "x"; there are api, estimates, subcontractors, equipment.',
    ],
    [
      ['account', 'create', '--company', '999', '--name', 'A', '--email', 'a@example.com'],
      'There is no company 999. "plumbline company list" shows them.',
    ],
    [['account', 'set', '999', '--enable'], 'There is no account 999.'],
    [
      ['token', 'issue', '--company', '999', '--account', '1'],
      'There is no company 999. "plumbline company list" shows them.',
    ],
    [['token', 'rotate', '--company', '999'], 'There is no company 999. "plumbline company list" shows them.'],
    [
      ['record', 'create', 'clients', '--company', '999', '--json-body', '{"name":"A"}'],
      'There is no company 999. "plumbline company list" shows them.',
    ],
    [
      ['record', 'create', 'clients', '--company', '1', '--json-body', '{"name":"A","name":"B"}'],
      'The body has the member "name" twice.',
    ],
    [['record', 'create', 'clients', '--company', '1', '--json-body', ''], 'The body is empty.'],
  ] as [string[], string][])('plumbline %j', async ([words, says]) => {
    expect(await stage.give(words)).toEqual({ code: 1, out: '', err: `${says}\n` })
    const { code, out, err } = await stage.give([...words, '--json'])
    expect({ code, out, err: JSON.parse(err) }).toEqual({
      code: 1,
      out: '',
      err: expect.objectContaining({ error: says, exit_code: 1 }),
    })
  })

  test('of a record, all fields that are wrong at once.', async () => {
    const company = await newCompany()
    const { code, err } = await give(
      'record',
      'create',
      'tasks',
      '--company',
      company,
      '--json-body',
      '{"done":1,"project_id":77}',
    )
    expect(code).toBe(1)
    expect(err).toBe(
      'done must be true or false; title is required; project_id must be the id of one of the company’s live projects.\n',
    )
  })

  test('of an account, its address, permissions and password.', async () => {
    const company = await newCompany()
    const words = [
      'account',
      'create',
      '--company',
      company,
      '--name',
      'A',
      '--email',
      'a',
      '--password',
      'short',
      '--permissions',
      'FLY',
    ]
    const { err } = await give(...words)
    expect(err).toBe(
      'email must be one e-mail address like ada@example.com, of at most 254 characters; permissions has "FLY", which is no permission; password must have 8 to 128 characters.\n',
    )
  })

  test('of a token: a second one, a scope that the account does not hold, an address that is none.', async () => {
    const company = await newCompany()
    const account = await newAccount(company, '--permissions', 'PROJECTS_VIEW')
    const issue = ['token', 'issue', '--company', company, '--account', account]
    expect((await give(...issue, '--scopes', 'PROJECTS_EDIT')).err).toBe(
      'scopes has "PROJECTS_EDIT", which the account does not hold.\n',
    )
    expect((await give(...issue, '--allow', '10.0.0.1/8')).err).toMatch(
      /^allowlist has "10\.0\.0\.1\/8", which is no IPv4 address/,
    )
    expect((await give(...issue)).code).toBe(0)
    expect((await give(...issue)).err).toBe(
      'The company has an active token. Rotate it to get a new one with the same rights, or revoke it first.\n',
    )
  })

  test('of a full plan.', async () => {
    const company = await newCompany()
    const project = ['record', 'create', 'projects', '--company', company, '--json-body', '{"name":"Wall"}']
    for (let made = 0; made < 25; made++) expect((await give(...project)).code).toBe(0)
    expect((await give(...project)).err).toBe(
      'The plan holds 25 projects and 25 are in use. Delete some, or move to a larger plan.\n',
    )
  })

  test('A trace is shown with LOG_LEVEL=debug alone.', async () => {
    const { err } = await stage.give(['company', 'show', '999'], { LOG_LEVEL: 'debug' })
    expect(err).toMatch(/^There is no company 999\. "plumbline company list" shows them\.\nRefusal: .*\n +at /)
  })
})

describe('Lists', () => {
  test('company list has every company with its plan, currency and whether it is a demo.', async () => {
    const id = Number(await newCompany('--plan', 'PRO', '--currency', 'EUR'))
    const { companies } = (await json('company', 'list')) as { companies: { company_id: number }[] }
    const { name } = (await json('company', 'show', String(id))) as { name: string }
    expect(companies.find(({ company_id }) => company_id === id)).toEqual({
      ...{ company_id: id, name, plan: 'PRO', currency: 'EUR', time_zone: 'UTC', is_demo: false },
    })
    expect(companies.map(({ company_id }) => company_id)).toEqual(
      companies.map(({ company_id }) => company_id).toSorted((one, other) => one - other),
    )
  })

  test('account list has the accounts that company show has, and no others.', async () => {
    const company = await newCompany()
    await json('account', 'create', '--company', company, '--name', 'Ada', '--email', 'ada@list.example')
    const { accounts } = await json('account', 'list', '--company', company)
    expect(accounts).toHaveLength(1)
    expect(accounts).toEqual((await json('company', 'show', company)).accounts)
  })

  test('account list and doctor show accounts of one address, with the characters in it that nobody sees.', async () => {
    const company = await newCompany()
    await json('account', 'create', '--company', company, '--name', 'Ada', '--email', 'ada@twin.example')
    await opened.app.database.read({
      text: `insert into accounts (company_id, name, email, email_ordinal, permissions)
        values ($1, 'Not Ada', $2, 1, '{}')`,
      values: [company, 'a\u200bda@\u202etwin.example'],
    })
    const { accounts } = (await json('account', 'list', '--company', company)) as { accounts: { account_id: number }[] }
    const [one, twin] = accounts as [{ account_id: number }, { account_id: number }]
    expect((await give('account', 'list', '--company', company)).out).toContain('a⟨U+200B⟩da@⟨U+202E⟩twin.example')
    expect((await give('company', 'show', company)).out).toContain('<a⟨U+200B⟩da@⟨U+202E⟩twin.example>')
    const { checks } = (await json('doctor')) as { checks: { name: string; says: string }[] }
    expect(checks.find(({ name }) => name === 'accounts')).toMatchObject({
      warning: true,
      says: expect.stringContaining(`${one.account_id} and ${twin.account_id} of company ${company}`),
    })
    await opened.app.database.read({ text: 'delete from accounts where id = $1', values: [twin.account_id] })
    const { code, err } = await give(
      'account',
      'create',
      '--company',
      company,
      '--name',
      'N',
      '--email',
      'e\u2060ve@twin.example',
    )
    expect([code, err]).toEqual([1, expect.stringContaining('has the invisible character U+2060')])
  })

  test('Cells are separated by tabs in a pipe.', async () => {
    const company = await newCompany('--plan', 'PRO')
    const lines = (await give('company', 'list')).out.split('\n')
    expect(lines[0]).toBe('company\tplan\tcurrency\tdemo\tname')
    expect(lines.find((line) => line.startsWith(`${company}\t`))).toMatch(/^\d+\tPRO\tUSD\tno\t./)
  })
})

describe('usage', () => {
  test('lists companies by their calls: those that are kept and the sums of others, within the days.', async () => {
    const sql = (text: string, ...values: unknown[]) => opened.app.database.read({ text, values })
    const [quiet, busy] = [await newCompany('--plan', 'PRO'), await newCompany()]
    await json('record', 'create', 'clients', '--company', busy, '--json-body', '{"name":"Kept"}')
    await sql(
      `insert into calls (company_id, at, token_id, request_id, route, status, ms, dry_run, replayed, counted)
       select $1, now() - day * interval '1 day', 1, gen_random_uuid(), 'listClients', 200, 1, false, false, day = 0
       from generate_series(0, 9) day`,
      busy,
    )
    await sql(
      `insert into call_days (company_id, day, resource, outcome, calls, counted)
       values ($1, current_date - 20, 'clients', 'ok', 1000, 900), ($2, current_date - 1, 'clients', 'ok', 3, 3)`,
      busy,
      quiet,
    )
    type Companies = { companies: { company_id: number; [member: string]: unknown }[] }
    const listed = async (...words: string[]) => (await json('usage', ...words)) as unknown as Companies
    const { companies: month } = await listed()
    expect(month[0]).toEqual({
      ...{ company_id: Number(busy), name: 'Quay Builders', plan: 'STARTER' },
      ...{ calls: 1010, counted: 901, records: 1 },
    })
    expect(month.map(({ company_id }) => company_id)).toContain(Number(quiet))
    const { companies: week } = await listed('--days', '7', '--top', '2')
    expect(week.map(({ company_id, calls }) => [company_id, calls])).toEqual([
      [Number(busy), 7],
      [Number(quiet), 3],
    ])
    const { out } = await give('usage', '--top', '1')
    expect(out).toMatch(/^company\tplan\tcalls\tcounted\trecords\tname\n\d+\tSTARTER\t1010\t901\t1\tQuay Builders\n$/)
  })
})
