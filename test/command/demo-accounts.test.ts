import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hash, verify } from '@node-rs/argon2'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OpenApp } from '#server/app.ts'
import { closeDemo } from '#server/demo/accounts.ts'
import { type DemoStory, seedDemo, startDemo } from '#server/demo/seed.ts'
import { operator } from '#server/records/actor.ts'
import { setAccount } from '#server/service/account.ts'
import { issueToken, revokeToken } from '#server/service/token.ts'
import { oneKey } from '#server/store/seal.ts'
import { freshDatabase } from '../stage/database.ts'
import { urlOf } from '../stage/process.ts'
import { createStage, jsonOf, type Stage } from './stage.ts'

let stage: Stage
let database: Awaited<ReturnType<typeof freshDatabase>>
let opened: OpenApp
/** With the demo in it, as it is made; each test has a copy. */
let seeded: typeof database
beforeAll(async () => {
  stage = await createStage()
  seeded = await freshDatabase()
  const { app, close } = await stage.open({ DATABASE_URL: urlOf(seeded.connection) })
  await seedDemo(app)
  await close()
})
beforeEach(async () => {
  database = await freshDatabase(seeded.connection.database)
  opened = await stage.open({ DATABASE_URL: urlOf(database.connection) })
})
afterEach(async () => {
  await opened.close()
  await database.drop()
})
afterAll(async () => {
  await seeded.drop()
  await stage.clear()
})

const ask = <Row = Record<string, unknown>>(text: string, ...values: unknown[]): Promise<Row[]> =>
  opened.app.database.read<Row>({ text, values })
const give = (words: string[]) => stage.give(words, { DATABASE_URL: urlOf(database.connection) })
const start = (demo: 'on' | 'new' | 'keep' | 'off'): Promise<DemoStory> =>
  startDemo({ ...opened.app, config: { ...opened.app.config, demo } })

const accountsOf = ({ companies }: DemoStory) => companies.flatMap(({ accounts }) => accounts)

/** Whether somebody gets in: the account is open, and this is its password. */
async function opens(email: string, password: string): Promise<boolean> {
  const [row] = await ask<{ password_hash: string; disabled: boolean }>(
    'select password_hash, disabled_at is not null as disabled from accounts where email = $1',
    email,
  )
  return row !== undefined && !row.disabled && (await verify(row.password_hash, password))
}

const published = [
  ['ada@harbor-masonry.example', 'harbor-demo-1'],
  ['ottilie@harbor-masonry.example', 'office-demo-1'],
  ['femi@harbor-masonry.example', 'foreman-demo-1'],
  ['hal@hilltop-roofing.example', 'hilltop-demo-1'],
] as const

/** The database as it was before passwords were drawn, and then upgraded. */
async function upgraded(passwords: readonly (readonly [email: string, password: string])[]): Promise<void> {
  for (const [email, password] of passwords)
    await ask('update accounts set password_hash = $2 where email = $1', email, await hash(password))
  await ask('drop table demo_accounts, demo_removals')
  const text = await readFile(join(import.meta.dirname, '../../migrations/0008-demo-accounts.sql'), 'utf8')
  const [up = ''] = text.split('-- Down Migration')
  const commands = up.replaceAll(/^--.*$/gm, '').split(';')
  for (const command of commands.filter((one) => one.trim() !== '')) await ask(command)
}

describe('Passwords of the demo', () => {
  test('are drawn for each database, open its accounts, and are told again; the published ones open none. [V6.3.2]', async () => {
    const story = await start('on')
    for (const { email, password } of accountsOf(story)) {
      expect(password).toMatch(/^([2-9a-z]{4}-){3}[2-9a-z]{4}$/)
      expect(await opens(email, password as string), email).toBe(true)
    }
    expect(new Set(accountsOf(story).map(({ password }) => password)).size).toBe(4)
    expect(accountsOf(await start('new'))).toEqual(accountsOf(story))
    for (const [email, password] of published) expect(await opens(email, password), email).toBe(false)

    const other = await freshDatabase()
    const second = await stage.open({ DATABASE_URL: urlOf(other.connection) })
    const passwords = accountsOf(await seedDemo(second.app)).map(({ password }) => password)
    await second.close()
    await other.drop()
    for (const { password } of accountsOf(story)) expect(passwords).not.toContain(password)
  })

  test('are sealed in the database, and with another key they are not told.', async () => {
    const [ada] = accountsOf(await start('on'))
    const [row] = await ask<{ sealed: Buffer }>('select sealed from demo_accounts order by account_id limit 1')
    expect(row?.sealed.toString('latin1')).not.toContain(ada?.password)
    const story = await startDemo({ ...opened.app, secret: oneKey('another key of more than 32 characters') })
    expect(accountsOf(story).map(({ password }) => password)).toEqual([null, null, null, null])
  })

  test.each(['on', 'new', 'keep'] as const)(
    'that were published are replaced at a start (%s), and it says so once.',
    async (mode) => {
      await upgraded(published)
      const sessions = `insert into sessions (company_id, id_hash, account_id, expires_at)
        select company_id, sha256(email::bytea), id, now() + interval '1 day' from accounts`
      await ask(sessions)
      for (const [email, password] of published) expect(await opens(email, password), email).toBe(true)

      const story = await start(mode)
      expect(story.notes).toEqual([
        expect.stringMatching(/^4 demo accounts had the password .* replaced by a drawn one/),
      ])
      for (const [email, password] of published) expect(await opens(email, password), email).toBe(false)
      for (const { email, password } of accountsOf(story)) expect(await opens(email, password as string)).toBe(true)
      expect(await ask('select from sessions')).toHaveLength(0)
      expect(await start(mode)).toEqual({ ...story, isNew: false, notes: [] })
    },
  )

  test('that somebody chose are left alone, and with them the account: it is not told and not closed.', async () => {
    await upgraded([['ada@harbor-masonry.example', 'the house by the quay'], ...published.slice(1)])
    const story = await start('keep')
    expect(story.notes).toEqual([expect.stringContaining('3 demo accounts')])
    expect(accountsOf(story).map(({ name }) => name)).toEqual(['Ottilie Brandt', 'Femi Adeyemi', 'Hal Whitcombe'])
    expect(story.companies.map(({ token }) => token !== null)).toEqual([false, true])

    await opened.app.database.transaction((transaction) =>
      setAccount(transaction, story.companies[1]!.id, accountsOf(story)[2]!.id, { password: 'the roof over the hill' }),
    )
    expect((await start('off')).notes).toEqual([expect.stringContaining('2 demo accounts disabled and 0 tokens')])
    expect(await opens('ada@harbor-masonry.example', 'the house by the quay')).toBe(true)
    expect(await opens('hal@hilltop-roofing.example', 'the roof over the hill')).toBe(true)
  })
})

describe('A token that acts for an account of somebody’s own', () => {
  test('is not told, and not revoked.', async () => {
    const { companies } = await start('on')
    const id = companies[0]!.id
    const [own] = await ask<{ id: number }>(
      `insert into accounts (company_id, name, email, permissions) values ($1, 'Own', 'own@example.com', '{PROJECTS_VIEW}') returning id`,
      id,
    )
    await opened.app.database.transaction(async (transaction) => {
      await revokeToken(transaction, operator(id))
      const wanted = { accountId: own!.id, label: 'Own', scopes: 'all', allowlist: [] } as const
      await issueToken(transaction, operator(id), opened.app.secret, wanted)
    })
    expect((await start('keep')).companies.map(({ token }) => token !== null)).toEqual([false, true])
    expect((await start('off')).notes).toEqual([
      expect.stringContaining('4 demo accounts disabled and 1 token revoked'),
    ])
    expect(await ask('select account_id from tokens where revoked_at is null')).toEqual([{ account_id: own!.id }])
  })
})

describe('PLUMBLINE_DEMO', () => {
  test('off disables the accounts and revokes their tokens, and says so once; nothing opens them but a command or on.', async () => {
    const before = accountsOf(await start('on'))
    const { notes } = await start('off')
    expect(notes).toEqual([expect.stringContaining('4 demo accounts disabled and 2 tokens revoked')])
    for (const { email, password } of before) expect(await opens(email, password as string), email).toBe(false)
    expect(await ask('select from tokens where revoked_at is null')).toHaveLength(0)
    expect((await start('off')).notes).toEqual([])

    // What was known before opens nothing even where somebody enables the account by hand.
    await ask('update accounts set disabled_at = null where email = $1', before[0]!.email)
    expect(await opens(before[0]!.email, before[0]!.password as string)).toBe(false)
    expect((await start('off')).notes).toEqual([expect.stringContaining('1 demo account disabled and 0 tokens')])

    expect((await start('new')).notes).toEqual([expect.stringContaining('"plumbline demo" opens them again')])
    const again = await start('on')
    expect(again.notes).toEqual(['Opened 4 demo accounts again, with new passwords and tokens.'])
    for (const [index, { email, password }] of accountsOf(again).entries()) {
      expect(await opens(email, password as string), email).toBe(true)
      expect(password).not.toBe(before[index]!.password)
    }
    expect(again.companies.map(({ token }) => token !== null)).toEqual([true, true])
  })

  test('off closes published passwords too, and leaves an account alone that somebody has disabled.', async () => {
    await upgraded(published)
    await ask("update accounts set disabled_at = now() where email = 'femi@harbor-masonry.example'")
    await start('off')
    for (const [email, password] of published) expect(await opens(email, password), email).toBe(false)
    await start('on')
    const rows = await ask('select email from accounts where disabled_at is not null')
    expect(rows).toEqual([{ email: 'femi@harbor-masonry.example' }])
  })

  test.each([
    ['keep', 0],
    ['new', 2],
    ['on', 2],
    ['off', 0],
  ] as const)('%s makes %i demo companies in a new database.', async (mode, companies) => {
    const empty = await freshDatabase()
    const { app, close } = await stage.open({ DATABASE_URL: urlOf(empty.connection) })
    const story = await startDemo({ ...app, config: { ...app.config, demo: mode } })
    expect(story.companies).toHaveLength(companies)
    expect(await app.database.read({ text: 'select from companies', values: [] })).toHaveLength(companies)
    await close()
    await empty.drop()
  })

  test('Two processes that close it at once do it once.', async () => {
    await start('on')
    const both = await Promise.all([closeDemo(opened.app), closeDemo(opened.app)])
    expect(both.map(({ accounts }) => accounts).toSorted()).toEqual([0, 4])
  })
})

describe('demo remove', () => {
  /** What every table holds, but for what the removal itself notes. */
  async function contents(where: string): Promise<{ [table: string]: unknown }> {
    const tables = await ask<{ name: string }>(
      `select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'company_id' order by 1`,
    )
    expect(tables.length).toBeGreaterThan(20)
    const read = tables.map(
      async ({ name }) => [name, await ask(`select t::text from ${name} t where ${where} order by 1`)] as const,
    )
    return Object.fromEntries(await Promise.all(read))
  }
  const rowsIn = (found: { [table: string]: unknown }): number =>
    Object.values(found).reduce((sum: number, rows) => sum + (rows as unknown[]).length, 0)

  test('removes all that any table holds of the demo, touches no other company, and no start adds it again by itself.', async () => {
    const { company_id } = jsonOf(await give(['company', 'create', '--name', 'Own', '--json']))
    await give(['account', 'create', '--company', `${company_id}`, '--name', 'Me', '--email', 'me@example.com'])
    await give(['record', 'create', 'projects', '--company', `${company_id}`, '--json-body', '{"name":"Mine"}'])
    const { companies } = await start('on')
    const ids = companies.map(({ id }) => id)
    await ask(`insert into calls (company_id, token_id, request_id, route, status, ms, dry_run, replayed, counted)
      values (${ids[0]}, 1, 'r', 'projects.list', 200, 1, false, false, true)`)
    const own = await contents(`company_id = ${company_id}`)
    expect(rowsIn(await contents(`company_id = any ('{${ids}}')`))).toBeGreaterThan(1000)

    expect(jsonOf(await give(['demo', 'remove', '--yes', '--json']))).toMatchObject({
      removed: [{ name: 'Harbor Masonry' }, { name: 'Hilltop Roofing' }],
    })
    expect(rowsIn(await contents(`company_id = any ('{${ids}}')`))).toBe(0)
    expect(await contents('true')).toEqual(own)
    expect(await ask('select name from companies')).toEqual([{ name: 'Own' }])

    expect((await start('new')).companies).toEqual([])
    expect(await give(['demo', 'remove', '--yes'])).toMatchObject({ code: 0, out: 'There are no demo companies.\n' })
    expect((await start('on')).companies).toHaveLength(2)
  })

  test('refuses where somebody works there, and says what it would have taken along.', async () => {
    const { companies } = await start('on')
    const id = `${companies[0]!.id}`
    await give(['record', 'create', 'projects', '--company', id, '--json-body', '{"name":"Mine"}'])
    await give(['account', 'create', '--company', id, '--name', 'Me', '--email', 'me@example.com'])
    expect(await give(['demo', 'remove', '--yes'])).toMatchObject({
      code: 1,
      err: `Harbor Masonry (company ${id}) holds 1 account and 1 record that the demo did not make. Give --with-own to remove these too.\n`,
    })
    expect(await ask('select from companies')).toHaveLength(2)
    expect(await give(['demo', 'remove', '--yes', '--with-own'])).toMatchObject({ code: 0 })
    expect(await ask('select from companies')).toHaveLength(0)
  })

  test('asks first on a terminal.', async () => {
    await start('on')
    const more = { DATABASE_URL: urlOf(database.connection) }
    expect(await stage.answer(['demo', 'remove'], 'n\n', more)).toMatchObject({ code: 1 })
    expect(await ask('select from companies')).toHaveLength(2)
    const yes = await stage.answer(['demo', 'remove'], 'y\n', more)
    expect(yes).toMatchObject({ code: 0, err: expect.stringContaining('Harbor Masonry (company 1), 670 records') })
    expect(await ask('select from companies')).toHaveLength(0)
  })
})
