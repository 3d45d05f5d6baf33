import type { MigrationBuilder } from 'node-pg-migrate'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { migrateBack } from '#server/store/migrate.ts'
import { down, up } from '../../migrations/0028-record-room.ts'
import { freshDatabase } from '../stage/database.ts'
import { type Sql, shapeOf } from './restored.ts'

/** The statements of this migration commit one by one, so that it may be cut off between any two of them. */

class CutOff extends Error {}

/** What the migration asks for, on a connection of its own; throws after so many statements that change something. */
function cutOffAfter(client: pg.Client, changes: number): MigrationBuilder {
  let left = changes
  const db = {
    select: async (text: string) => (await client.query(text)).rows,
    query: async (text: string) => {
      if (/^(create|drop|alter)/.test(text) && left-- === 0) throw new CutOff()
      return client.query(text)
    },
  }
  return { db, isUsingTransaction: () => false } as unknown as MigrationBuilder
}

/** The unique fields of live records, each with whether a valid index keeps it unique at the moment. */
const uniqueFields = `select regexp_replace(indexname, '_next$', '') as field, bool_or(indisvalid) as is_kept
  from pg_indexes join pg_index on indexrelid = to_regclass(indexname)
  where schemaname = 'public' and indexname ~ '_live(_next)?$' and indisunique group by 1 order by 1`

/** How many statements more each attempt gets. */
const stepLength = 5

async function runCutOff(client: pg.Client, sql: Sql, direction: typeof up): Promise<number> {
  const kept = await sql(uniqueFields)
  expect(kept.length).toBeGreaterThan(10)
  for (let attempt = 1; ; attempt++) {
    try {
      await direction(cutOffAfter(client, attempt * stepLength))
      return attempt
    } catch (error) {
      if (!(error instanceof CutOff)) throw error
    }
    expect(await sql(uniqueFields)).toEqual(kept)
  }
}

test('Tables of records are brought up to date, and back, by as many attempts as it takes; unique fields stay unique.', async () => {
  const { connection, drop } = await freshDatabase()
  const client = new pg.Client(connection)
  await client.connect()
  onTestFinished(async () => {
    await client.end()
    await drop()
  })
  const sql: Sql = async (text) => (await client.query(text)).rows
  await migrateBack(connection, '0028-record-room')
  const newer = await shapeOf(sql)
  await migrateBack(connection, '0027-history-times')
  const older = await shapeOf(sql)
  expect(older).not.toEqual(newer)
  expect(await runCutOff(client, sql, up)).toBeGreaterThan(5)
  expect(await shapeOf(sql)).toEqual(newer)
  expect(await runCutOff(client, sql, down)).toBeGreaterThan(5)
  expect(await shapeOf(sql)).toEqual(older)
})
