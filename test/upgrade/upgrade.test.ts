import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Line } from '#registry/fields/lines.ts'
import { totals as totalsOf } from '#registry/resources/totals.ts'
import { createApp } from '#server/app.ts'
import { readConfig } from '#server/config/config.ts'
import { operator } from '#server/records/actor.ts'
import { serve } from '#server/serve.ts'
import { showToken } from '#server/service/token.ts'
import { migrate, migrateBack, pendingMigrations } from '#server/store/migrate.ts'
import { oneKey } from '#server/store/seal.ts'
import { freshDatabase } from '../stage/database.ts'
import { send } from '../stage/http.ts'
import { recordsWithoutLogTime } from '../stage/log-times.ts'
import { eventually } from '../stage/wait.ts'
import { contentsOf, restored, type Sql, shapeOf } from './restored.ts'
import { type AnsweredCall, readSnapshot, type Snapshot, snapshots } from './snapshot.ts'

/** What a version left behind is brought up to date, and what it had promised its callers is kept. */
const root = join(import.meta.dirname, '../..')

/** The shape of a database that never was of another version. */
async function shapeOfNew(): Promise<unknown> {
  const { connection, drop } = await freshDatabase()
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return await shapeOf(async (text) => (await client.query(text)).rows)
  } finally {
    await client.end()
    await drop()
  }
}

/** The statements that the database does not understand any more. */
async function refusedOf(sql: Sql, { statements }: Snapshot): Promise<string[]> {
  const refused: string[] = []
  for (const text of statements) {
    const wrong = await sql(`prepare older as ${text}`).then(
      () => null,
      (error: Error) => error.message,
    )
    if (wrong === null) await sql('deallocate older')
    else refused.push(`${wrong}: ${text}`)
  }
  return refused
}

const lastOf = async (sql: Sql): Promise<string> =>
  (await sql<{ name: string }>('select name from migrations order by id desc limit 1'))[0]?.name as string

describe.each(snapshots())('A database of version %s', (name) => {
  let snapshot: Snapshot
  beforeAll(async () => {
    snapshot = await readSnapshot(name)
  })

  test('is brought up to date, and answers its token, its reads and its retries as before.', async () => {
    const { connection, sql } = await restored(snapshot)
    const before = await contentsOf(sql)
    await migrate(connection, () => {})
    const after = await contentsOf(sql)
    const count = (text = ''): number => (text === '' ? 0 : text.split('\n').length)
    for (const table of Object.keys(before).filter((each) => each !== 'migrations'))
      expect(count(after[table]), table).toBe(count(before[table]))
    expect(await shapeOf(sql)).toEqual(await shapeOfNew())
    expect(await recordsWithoutLogTime(sql)).toEqual([])

    // Answers are kept for a day, and a snapshot is older.
    await sql('update answers set completed_at = now()')
    const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent', DRAIN_TIMEOUT_MS: '2000' })
    const app = createApp(config, connection, oneKey('the sealing key of the snapshots, long enough'))
    const listening = await serve(app)
    const call = ({ method, path, headers, body }: AnsweredCall) =>
      send(listening.url, {
        method,
        path,
        headers: Object.entries({
          ...headers,
          Authorization: `Bearer ${snapshot.token}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        }),
        body: body === undefined ? undefined : JSON.stringify(body),
      })
    try {
      const reads = snapshot.answers.filter(({ method }) => method === 'GET')
      const kept = snapshot.answers.filter(({ headers, status }) => headers['Idempotency-Key'] && status < 300)
      expect([reads.length > 10, kept.length > 5]).toEqual([true, true])
      for (const each of reads) {
        const { status, body } = await call(each)
        expect(status, each.path).toBe(each.status)
        if (status === 200) expect(body, each.path).toMatchObject(each.answer as object)
      }
      for (const each of kept) {
        const { status, body, headers } = await call(each)
        expect({ status, body, replayed: headers['idempotency-replayed'] }).toEqual({
          status: each.status,
          body: each.answer,
          replayed: 'true',
        })
      }
      const [owner] = await sql<{ id: string }>("select id from companies where name = 'Quay & Daughters'")
      const shown = await app.database.transaction((transaction) =>
        showToken(transaction, operator(Number(owner?.id)), app.secret),
      )
      expect(shown.token).toBe(snapshot.token)
    } finally {
      await listening.drain()
      await app.meter.close()
      await app.database.close()
    }
  })

  test('has every invoice billed by lines, to the amount it was.', async () => {
    const { connection, sql } = await restored(snapshot)
    const totals = () =>
      sql('select company_id, id, coalesce(total_minor, 0) as total from invoices order by company_id, id')
    const before = await totals()
    expect(before.length).toBeGreaterThan(10)
    await migrate(connection, () => {})
    expect(await totals()).toEqual(before)
    const invoices = await sql<{ lines: Line[]; discount_pct: null; tax_pct: null; total_minor: string }>(
      'select lines, discount_pct, tax_pct, total_minor from invoices',
    )
    for (const { lines, discount_pct, tax_pct, total_minor } of invoices) {
      expect(totalsOf({ lines, discount_pct, tax_pct }).total_minor).toBe(Number(total_minor))
      expect(lines).toHaveLength(Number(total_minor) === 0 ? 0 : 1)
    }
    const open = "case when status = 'ISSUED' then total_minor else 0 end"
    expect(await sql(`select id from invoices where open_minor <> ${open} or paid_minor <> 0`)).toEqual([])
    // A process of before writes on, and knows of no lines.
    await sql(
      "insert into invoices (company_id, client_id, number, status, total_minor) select company_id, client_id, 'OLD-1', 'DRAFT', 700 from invoices limit 1",
    )
    await sql(
      "insert into invoices (company_id, client_id, number, status) select company_id, client_id, 'OLD-2', 'DRAFT' from invoices limit 1",
    )
    await sql("update invoices set total_minor = 900 where number = 'OLD-1'")
    const older = await sql(
      "select total_minor, subtotal_minor, lines from invoices where number like 'OLD-%' order by number",
    )
    const line = { description: 'Total', quantity: 1, unit: null, unit_price_minor: 900 }
    expect(older).toEqual([
      { total_minor: '900', subtotal_minor: '900', lines: [line] },
      { total_minor: '0', subtotal_minor: '0', lines: [] },
    ])
  })

  test('lets that version go on asking after each migration, but for those of which docs/upgrades.md says otherwise.', async () => {
    const { connection, sql } = await restored(snapshot)
    expect(await refusedOf(sql, snapshot)).toEqual([])
    const stops: string[] = []
    const pending = await pendingMigrations(connection)
    for (const migration of pending) {
      await migrate(connection, () => {}, { count: 1 })
      if (stops.length === 0 && (await refusedOf(sql, snapshot)).length > 0) stops.push(migration)
    }
    const told = rows.filter(({ beside }) => beside.startsWith('stop')).map(({ migration }) => migration)
    expect(stops).toEqual(told.filter((migration) => pending.includes(migration)).slice(0, 1))
  })

  test('is what it was after going back, to its last row, and that version understands it.', async () => {
    const { connection, sql } = await restored(snapshot)
    const [contents, shape, last] = [await contentsOf(sql), await shapeOf(sql), await lastOf(sql)]
    await migrate(connection, () => {})
    await migrateBack(connection, last)
    expect(await lastOf(sql)).toBe(last)
    expect(await contentsOf(sql)).toEqual(contents)
    expect(await shapeOf(sql)).toEqual(shape)
    expect(await refusedOf(sql, snapshot)).toEqual([])
  })
})

test('An older process that holds what a migration needs, and waits for what it changed, is waited for.', async () => {
  const { connection, sql } = await restored(await readSnapshot('0.1.0'))
  const older = new pg.Client(connection)
  await older.connect()
  onTestFinished(() => older.end())
  // A migration changes accounts before tokens; this transaction goes the other way round.
  await older.query('begin')
  await older.query('lock table tokens in row share mode')
  const migrated = migrate(connection, () => {})
  await eventually(async () => {
    const [waits] = await sql<{ count: number }>(
      "select count(*)::int as count from pg_locks where relation = 'tokens'::regclass and not granted",
    )
    expect(waits?.count).toBe(1)
  })
  await older.query('lock table accounts in row share mode')
  await older.query('commit')
  await migrated
  expect(await pendingMigrations(connection)).toEqual([])
})

/** The table of docs/upgrades.md. */
const rows = [
  ...readFileSync(join(root, 'docs/upgrades.md'), 'utf8').matchAll(/^\| `(\d{4}-[\w-]+)` \| (.+?) \| (.+?) \|$/gm),
].map(([, migration = '', beside = '', back = '']) => ({ migration, beside, back }))

const sqlOf = (migration: string): string => join(root, 'migrations', `${migration}.sql`)

test('docs/upgrades.md says of each migration what it does beside an older process and what going back loses.', () => {
  const all = readdirSync(join(root, 'migrations')).map((file) => file.replace(/\.(sql|ts)$/, ''))
  expect(rows.map(({ migration }) => migration)).toEqual(all.filter((name) => name > '0004-sessions').toSorted())
  for (const { migration } of rows.filter(({ migration }) => existsSync(sqlOf(migration)))) {
    const [, up = '', down = ''] = readFileSync(sqlOf(migration), 'utf8').split(/^-- (?:Up|Down) Migration$/m)
    expect([up.trim(), down.trim()], migration).not.toContain('')
  }
})
