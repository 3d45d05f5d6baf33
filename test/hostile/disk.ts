import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig } from '#server/config/config.ts'
import { choresOf, sweep } from '#server/jobs/sweep.ts'
import { withClient } from '#server/store/connect.ts'
import { openDatabase } from '#server/store/database.ts'
import type { Connection } from '../../bench/postgres.ts'

/** What attacks leave on the disk of the database. */

/** Bytes of a data folder: its log of changes, which PostgreSQL bounds by itself, and the rest. */
export type Disk = { folder: number; wal: number }

export async function diskOf(dataFolder: string): Promise<Disk> {
  const wal = await bytesIn(join(dataFolder, 'pg_wal'))
  return { folder: (await bytesIn(dataFolder)) - wal, wal }
}

/** Files come and go meanwhile: one that has gone counts nothing. */
async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  let bytes = 0
  for (const name of names) {
    const found = await lstat(join(folder, name)).catch(() => undefined)
    if (found?.isFile()) bytes += found.size
  }
  return bytes
}

/** Bytes of all tables with their indexes: as they are, and as the same rows take that are written anew, one after the other. */
export type DiskUse = { bytes: number; onPurpose: number }

/** What is there after every chore of the sweeper was done once, and the vacuum that PostgreSQL does by itself. */
export async function sweepAll(connection: Connection): Promise<DiskUse> {
  const limits = { connectionsMax: 2, statementTimeout: 600_000, lockTimeout: 60_000, connectTimeout: 10_000 }
  const database = openDatabase(connection, limits, () => {})
  try {
    for (const chore of Object.values(choresOf(readConfig({})))) await sweep(database, chore, () => false)
  } finally {
    await database.close()
  }
  return keptIn(connection)
}

export const keptIn = (connection: Connection): Promise<DiskUse> =>
  withClient(connection, 'a stop', async (client) => {
    await client.query('vacuum (analyze)')
    await client.query('drop schema if exists kept cascade; create schema kept')
    const { rows: tables } = await client.query<{ name: string; options: string; columns: string }>(
      `select c.relname as name, coalesce('with (' || array_to_string(c.reloptions, ', ') || ')', '') as options,
        string_agg(quote_ident(a.attname), ', ' order by a.attnum) filter (where a.attgenerated = '') as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' group by c.relname, c.reloptions`,
    )
    for (const { name, options, columns } of tables) {
      await client.query(`create table kept."${name}" (like public."${name}" including all) ${options}`)
      await client.query(
        `insert into kept."${name}" (${columns}) overriding system value select ${columns} from public."${name}"`,
      )
      await client.query(`vacuum (analyze) kept."${name}"`)
    }
    const sizeOf = async (schema: string): Promise<number> => {
      const { rows } = await client.query<{ bytes: string }>(
        `select sum(pg_total_relation_size(oid)) as bytes from pg_class
        where relnamespace = $1::regnamespace and relkind = 'r'`,
        [schema],
      )
      return Number(rows[0]?.bytes)
    }
    const kept = { bytes: await sizeOf('public'), onPurpose: await sizeOf('kept') }
    await client.query('drop schema kept cascade')
    return kept
  })
