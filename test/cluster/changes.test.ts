import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readChanges } from '#server/service/changes.ts'
import { openDatabase } from '#server/store/database.ts'
import { dropDatabase, freshDatabase } from '../stage/database.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { untilTold } from '../stage/wait.ts'
import { round } from './round.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('a consumer of the feed misses nothing under writers over two processes that are killed', async () => {
  const { told, killed, wrong } = await round(stage, { changes: 800, writers: 16, changesPerKill: 200 })
  expect(wrong).toEqual([])
  expect(told).toBeGreaterThanOrEqual(800)
  expect(killed).toBeGreaterThan(0)
})

// Of one server; test/citus/life.test.ts has what a distributed log is told from another by.
describe.runIf(!process.env.CITUS_URL)('In a copy of the database the feed goes on in an epoch of its own', () => {
  const read = (database: Stage['app']['database'], own: Company, after: string | null) =>
    readChanges(database, { companyId: own.id, after, limit: 100, keptDays: 30 })

  test('a cursor of before the copy goes on, one of after it is gone', async () => {
    const own = await stage.company()
    await own.create('clients', { name: 'Before' })
    // From now on is from the last place at which nothing is missing, which other work of the server holds back.
    await untilTold(stage)
    const { next: before } = await read(stage.app.database, own, 'now')
    await own.create('clients', { name: 'In the copy' })
    const copied = await copyOf(stage)
    await own.create('clients', { name: 'Lost' })
    const { next: after } = await read(stage.app.database, own, null)
    const limits = { connectionsMax: 2, statementTimeout: 5000, lockTimeout: 5000, connectTimeout: 5000 }
    const copy = openDatabase({ ...stage.connection, database: copied }, limits, () => {})
    try {
      const epochs = await copy.read<{ epoch: number }>({ text: 'select epoch from log_epochs', values: [] })
      expect(epochs.length).toBe(2)
      const names = (page: Awaited<ReturnType<typeof read>>) => page.changes.map(({ record }) => record?.name)
      expect(names(await read(copy, own, before))).toEqual(['In the copy'])
      await expect(read(copy, own, after)).rejects.toMatchObject({ code: 'cursor_gone' })
      await copy.read({
        text: `insert into history (company_id, door, records, record_id, action, version, epoch)
          select $1, 'api', 'clients', 1, 'changed', 2, max(epoch) from log_epochs`,
        values: [own.id],
      })
      await untilTold({ sql: (text) => copy.read({ text, values: [] }), connection: stage.connection })
      const rest = await read(copy, own, before)
      expect(rest.changes.map(({ id }) => id.split('_')[1])).toEqual(['1', '2'])
      expect((await read(copy, own, rest.next)).changes).toEqual([])
    } finally {
      await copy.close()
      await dropDatabase({ ...stage.connection, database: 'postgres' }, copied)
    }
  })
})

/** As pg_dump and a restore leave it: the same rows in tables that are made anew. */
async function copyOf({ sql }: Stage): Promise<string> {
  const { connection: empty } = await freshDatabase()
  const tables = ['companies', 'accounts', 'tokens', 'clients', 'history', 'log_marks', 'log_epochs']
  const client = new pg.Client(empty)
  await client.connect()
  try {
    await client.query("set session_replication_role = 'replica'")
    await client.query('delete from log_epochs')
    for (const table of tables) {
      const columns = await sql<{ name: string }>(
        "select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and attgenerated = '' and not attisdropped",
        table,
      )
      const names = columns.map(({ name }) => name).join(', ')
      const rows = await sql<{ row: string }>(`select row_to_json(r)::text as row from ${table} r`)
      const insert = `insert into ${table} (${names}) overriding system value
        select ${names} from json_populate_record(null::${table}, $1::json)`
      for (const { row } of rows) await client.query(insert, [row])
    }
  } finally {
    await client.end()
  }
  return empty.database
}
