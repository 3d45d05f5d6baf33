import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { createTestDatabase } from '../stage/database.ts'
import type { Server } from '../stage/postgres.ts'
import type { Snapshot } from './snapshot.ts'

/** The database of a version, gone when the test is over. */
export async function restored({ database }: Snapshot): Promise<{ connection: Server; sql: Sql }> {
  const { connection, drop } = await createTestDatabase(inject('server'))
  const client = new pg.Client(connection)
  await client.connect()
  onTestFinished(async () => {
    await client.end()
    await drop()
  })
  await client.query(database)
  await client.query("select set_config('search_path', 'public', false)")
  const sql: Sql = async (text) => (await client.query(text)).rows
  return { connection, sql }
}

export type Sql = <Row = { [column: string]: unknown }>(text: string) => Promise<Row[]>

/** Every row of every table, as one text a table. */
export async function contentsOf(sql: Sql): Promise<{ [table: string]: string }> {
  const tables = await sql<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by 1",
  )
  const contents: { [table: string]: string } = {}
  for (const { name } of tables) {
    const rows = await sql<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`)
    contents[name] = rows
      .map(({ row }) => row)
      .toSorted()
      .join('\n')
  }
  return contents
}

/** Columns, indexes, constraints and functions. */
export const shapeOf = (sql: Sql) =>
  sql(`select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable as said
    from information_schema.columns where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'public'::regnamespace and contype <> 'n'
    union all select pg_get_functiondef(p.oid) from pg_proc p where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
    order by 1`)
