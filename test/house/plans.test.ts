import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyStatement } from '#derive/queries/every.ts'
import { sessionOptions } from '#server/store/database.ts'
import { planOf, readWhole } from '../../bench/plans/plan.ts'
import type { Connection } from '../../bench/postgres.ts'
import { freshDatabase } from '../stage/database.ts'

/** That there is an index for each statement shows on empty tables; which one is taken among many records, in the bench. */
let database: { connection: Connection; drop(): Promise<void> }
let client: pg.Client
beforeAll(async () => {
  database = await freshDatabase()
  const limits = { connectionsMax: 1, statementTimeout: 10_000, lockTimeout: 8000, connectTimeout: 5000 }
  client = new pg.Client({ ...database.connection, options: sessionOptions(limits) })
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await database?.drop()
})

describe('No derived statement has to read a table from end to end', () => {
  test.each(everyStatement)('%s', async (_, statements) => {
    for (const statement of statements) {
      const { root } = await planOf(client, statement)
      expect(readWhole(root), statement.text).toEqual([])
    }
  })
})
