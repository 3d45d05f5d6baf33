import { link, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OpenApp } from '#server/app.ts'
import { type DemoStory, seedDemo, startDemo } from '#server/demo/seed.ts'
import { operator } from '#server/records/actor.ts'
import { beginChange } from '#server/secret.ts'
import { issueToken, revokeToken, rotateToken, showToken } from '#server/service/token.ts'
import { allSealed, oneKey, openSealed, sealedToken, sealText, tryOpen } from '#server/store/seal.ts'
import { freshDatabase } from '../stage/database.ts'
import { urlOf } from '../stage/process.ts'
import { createStage, jsonOf, pause, type Stage } from './stage.ts'

let stage: Stage
let database: Awaited<ReturnType<typeof freshDatabase>>
/** A service that runs all the time. */
let running: OpenApp
let story: DemoStory
let file: string
/** The demo, and enough more that a rotation takes some time. */
const more = 500

/** With the demo in it, sealed with `first`; each test has a copy. */
let seeded: typeof database
let first: string

beforeAll(async () => {
  stage = await createStage()
  file = join(stage.data, 'secret')
  seeded = await freshDatabase()
  const { app, close } = await stage.open({ DATABASE_URL: urlOf(seeded.connection) })
  story = await seedDemo(app)
  first = await app.secret.current()
  await close()
})
beforeEach(async () => {
  for (const name of await readdir(stage.data)) if (name.startsWith('secret')) await rm(join(stage.data, name))
  await writeFile(file, `${first}\n`, { mode: 0o600 })
  database = await freshDatabase(seeded.connection.database)
  running = await stage.open(at())
})
afterEach(async () => {
  await running.close()
  await database.drop()
})
afterAll(async () => {
  await seeded.drop()
  await stage.clear()
})

const at = (environment: { [name: string]: string } = {}) => ({
  DATABASE_URL: urlOf(database.connection),
  ...environment,
})
const rotate = (environment: { [name: string]: string } = {}) =>
  stage.give(['key', 'rotate', '--json'], at(environment))
/** Names which of several commands does not end; the deadline leaves room for a busy machine. */
const inTime = <T>(name: string, command: Promise<T>): Promise<T> =>
  Promise.race([command, pause(20_000).then(() => Promise.reject(new Error(`${name} rotation did not end in 20 s`)))])
const keyNow = async (): Promise<string> => (await readFile(file, 'utf8')).trim()
const sql = <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
  running.app.database.read<Row>({ text, values })

type Row = { company_id: number; id: number; sealed: Buffer }
const rowsOf = (table: string, id: string): Promise<Row[]> =>
  sql<Row>(`select company_id, ${id} as id, sealed from ${table} where sealed is not null`)

/** How many secrets a key opens, and how many there are. */
async function openedBy(key: string): Promise<[number, number]> {
  let [opened, all] = [0, 0]
  for (const { table, id, boundTo } of allSealed) {
    for (const row of await rowsOf(table, id)) {
      all++
      if (tryOpen(key, row.sealed, boundTo(row.company_id, row.id)) !== undefined) opened++
    }
  }
  return [opened, all]
}

/** All that the running service can show, as it was before. */
const showsAll = async (app = running.app): Promise<void> =>
  expect((await startDemo(app)).companies).toEqual(story.companies)

async function addCompanies(key: string): Promise<void> {
  const made = await sql<{ id: number }>(
    `insert into companies (name, currency, plan, add_ons) select 'C', 'USD', 'PRO', '{api}' from generate_series(1, ${more}) returning id`,
  )
  const ids = made.map(({ id }) => id)
  await sql(`insert into accounts (company_id, id, name, email, permissions)
    select id, 100000 + id, 'A', id || '@example.com', '{}' from unnest('{${ids}}'::bigint[]) id`)
  const sealed = ids.map((id) => sealText(key, `secret ${id}`, sealedToken.boundTo(id, 100_000 + id)))
  await sql(
    `insert into tokens (company_id, id, account_id, label, scopes, allowlist, hash, sealed)
     select id, 100000 + id, 100000 + id, 'T', '{}', '{}', sha256(id::text::bytea), sealed
     from unnest($1::bigint[], $2::bytea[]) each (id, sealed)`,
    ids,
    sealed,
  )
}

describe('The key in the data folder', () => {
  test('is changed while the service runs: everything opens with the new one alone, and the service goes on. [V11.2.2]', async () => {
    const before = await keyNow()
    expect(jsonOf(await rotate())).toEqual({ sealed_anew: 6, unopened: 0 })
    const after = await keyNow()
    expect(after).not.toBe(before)
    expect(await openedBy(before)).toEqual([0, 6])
    expect(await openedBy(after)).toEqual([6, 6])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await readdir(stage.data)).filter((name) => name.startsWith('secret'))).toEqual(['secret'])
    await showsAll()

    // What the running service seals from now on it seals with the new key.
    const { token } = await running.app.database.transaction((transaction) =>
      rotateToken(transaction, operator(story.companies[0]!.id), running.app.secret),
    )
    const [row] = await sql<Row>(
      'select company_id, id, sealed from tokens where revoked_at is null order by id desc limit 1',
    )
    const bound = sealedToken.boundTo(row!.company_id, row!.id)
    expect(await openSealed(oneKey(after), row!.sealed, bound)).toBe(token)
  })

  test('is not gone before a secret that is being sealed with it is sealed anew.', async () => {
    const sealed = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const { id, accounts } = story.companies[0]!
    await running.app.database.transaction((transaction) => revokeToken(transaction, operator(id)))
    const wanted = { accountId: accounts[0]!.id, label: 'New', scopes: 'all', allowlist: [] } as const
    const issuing = running.app.database.transaction(async (transaction) => {
      const issued = await issueToken(transaction, operator(id), running.app.secret, wanted)
      sealed.resolve()
      await release.promise
      return issued.token
    })
    await sealed.promise
    const rotating = rotate()
    const waits = "select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()"
    while ((await sql(waits)).length === 0) await pause(10)
    expect(await readdir(stage.data)).toContain('secret.former')
    release.resolve()
    const token = await issuing
    expect((await rotating).code).toBe(0)
    const [opened, all] = await openedBy(await keyNow())
    expect(opened).toBe(all)
    const shown = await running.app.database.transaction((transaction) =>
      showToken(transaction, operator(id), running.app.secret),
    )
    expect(shown.token).toBe(token)
  })

  test.each([
    ['a new key was written', async () => writeFile(join(stage.data, 'secret.next'), 'half a k')],
    ['the present one got its second name', async () => link(file, join(stage.data, 'secret.former'))],
    ['the new one took its place', async () => beginChange(running.app.config)],
    [
      'some were sealed anew',
      async () => {
        await beginChange(running.app.config)
        const [row] = await rowsOf('tokens', 'id')
        const text = await openSealed(running.app.secret, row!.sealed, sealedToken.boundTo(row!.company_id, row!.id))
        const anew = sealText(await keyNow(), text, sealedToken.boundTo(row!.company_id, row!.id))
        await sql('update tokens set sealed = $2 where id = $1', row!.id, anew)
      },
    ],
  ])('Cut off when %s, everything opens; the next one completes it.', async (_, cutOff) => {
    await cutOff()
    await showsAll()
    const doctor = await stage.give(['doctor'], { ...at(), LOG_LEVEL: 'silent' })
    const isBegun = (await readdir(stage.data)).includes('secret.former')
    expect(doctor.out.includes('a change of the key was cut off')).toBe(isBegun)
    expect((await rotate()).code).toBe(0)
    expect(await openedBy(await keyNow())).toEqual([6, 6])
    expect((await readdir(stage.data)).filter((name) => name.startsWith('secret'))).toEqual(['secret'])
    await showsAll()
  })

  test.each([
    ['before anything is sealed anew', "select from tokens where label = 'Demo' order by id limit 1 for update"],
    ['in the middle', 'select from tokens order by company_id desc limit 1 for update'],
    ['when all is sealed anew', "select pg_advisory_xact_lock_shared(hashtext('sealing keys'))"],
  ])('Killed with -9 %s, everything opens, and the next one completes it.', async (_, held) => {
    await addCompanies(first)
    // It comes as far as to what another transaction holds.
    const release = Promise.withResolvers<void>()
    const holding = running.app.database.transaction(async (transaction) => {
      await transaction.run({ text: held, values: [] })
      await release.promise
    })
    const { child, ended } = stage.start(['key', 'rotate'], at())
    const waits = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    while ((await sql(waits)).length === 0) await pause(10)
    child.kill('SIGKILL')
    await ended
    release.resolve()
    await holding
    expect(await readdir(stage.data)).toContain('secret.former')

    const keys = [...new Set(await running.app.secret.all())]
    const opened = await Promise.all(keys.map(openedBy))
    expect(opened.map(([count]) => count).reduce((one, other) => one + other)).toBe(more + 6)
    await showsAll()
    expect((await rotate()).code).toBe(0)
    expect(await openedBy(await keyNow())).toEqual([more + 6, more + 6])
    await showsAll()
  })

  test('Two at once: one does it, and the other says so or does it again.', async () => {
    const both = await Promise.all([inTime('the first', rotate()), inTime('the second', rotate())])
    expect(both.filter(({ code }) => code === 0).length).toBeGreaterThan(0)
    // The second sentence comes where the keys were read before the other rotation began, and the secrets after it.
    const lost = /Another rotation of the key is under way|No key that is given opens any of the tokens/
    for (const { code, err } of both) if (code !== 0) expect(err).toMatch(lost)
    expect(await openedBy(await keyNow())).toEqual([6, 6])
    await showsAll()
  })

  test('What no key opens stays as it is and is told; where no key opens anything nothing is done.', async () => {
    const stranger = oneKey('the key of somebody else, long enough')
    const { boundTo } = sealedToken
    const [row] = await rowsOf('tokens', 'id')
    const strange = sealText(await stranger.current(), 'x', boundTo(row!.company_id, row!.id))
    await sql('update tokens set sealed = $2 where id = $1', row!.id, strange)
    expect(jsonOf(await rotate())).toEqual({ sealed_anew: 5, unopened: 1 })
    const [after] = await sql<Row>('select sealed from tokens where id = $1', row!.id)
    expect(after!.sealed.equals(strange)).toBe(true)

    await unlink(file)
    await stage.give(['company', 'show', '1'], at())
    const other = await keyNow()
    expect(await rotate()).toMatchObject({ code: 1, err: expect.stringContaining('No key that is given opens any') })
    expect(await keyNow()).toBe(other)
  })
})

describe('The key of PLUMBLINE_SECRET', () => {
  const [old, next] = ['the old key of the environment, long', 'the new key of the environment, long']

  test('is changed with both given: whoever has both opens everything at every moment, and then the new one does alone.', async () => {
    const toOld = { PLUMBLINE_SECRET: old, PLUMBLINE_SECRET_PREVIOUS: await keyNow() }
    expect((await rotate(toOld)).code).toBe(0)
    expect(await openedBy(old)).toEqual([6, 6])

    const both = { PLUMBLINE_SECRET: next, PLUMBLINE_SECRET_PREVIOUS: old }
    const service = await stage.open(at(both))
    await showsAll(service.app)
    expect(jsonOf(await rotate(both))).toEqual({ sealed_anew: 6, unopened: 0 })
    await showsAll(service.app)
    await service.close()
    expect(await openedBy(old)).toEqual([0, 6])
    expect(await openedBy(next)).toEqual([6, 6])
    const alone = await stage.open(at({ PLUMBLINE_SECRET: next }))
    await showsAll(alone.app)
    await alone.close()

    // And back to one in the data folder.
    expect((await rotate({ PLUMBLINE_SECRET_PREVIOUS: next })).code).toBe(0)
    expect(await openedBy(await keyNow())).toEqual([6, 6])
  })

  test.each([{}, { PLUMBLINE_SECRET_PREVIOUS: next }])(
    'without another one before it is told how (%o).',
    async (given) => {
      const { code, err } = await rotate({ PLUMBLINE_SECRET: next, ...given })
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringContaining('set that to a new key and PLUMBLINE_SECRET_PREVIOUS'),
      })
    },
  )
})

test('Every column that holds something sealed is in the list of what is sealed anew.', async () => {
  const columns = await sql<{ table: string }>(
    `select table_name as table from information_schema.columns
     where table_schema = 'public' and (column_name = 'sealed' or column_name like '%\\_sealed') order by 1`,
  )
  expect(columns.map(({ table }) => table)).toEqual(allSealed.map(({ table }) => table).toSorted())
})
