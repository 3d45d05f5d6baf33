import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runner } from 'node-pg-migrate'
import pg from 'pg'
import type { Connection } from './database.ts'

const folder = join(import.meta.dirname, '../../migrations')

/** Brings the database up to date; several processes that start together wait for each other. */
export async function migrate(connection: Connection, onStep: (name: string) => void): Promise<void> {
  await withClient(connection, (client) =>
    runner({
      dbClient: client,
      dir: folder,
      migrationsTable: 'migrations',
      direction: 'up',
      advisoryLockMode: 'wait',
      singleTransaction: true,
      logger: { debug: () => {}, info: () => {}, warn: () => {}, error: (text) => onStep(String(text)) },
    }),
  )
}

/** The migrations that the database has not seen yet. */
export async function pendingMigrations(connection: Connection): Promise<string[]> {
  const seen = new Set(await seenMigrations(connection))
  return (await knownMigrations()).filter((name) => !seen.has(name))
}

/** Those that this version of the program knows, in their order. */
export const knownMigrations = async (): Promise<string[]> =>
  (await readdir(folder))
    .filter((name) => name.endsWith('.sql'))
    .map((name) => name.slice(0, -'.sql'.length))
    .sort()

/** Those that the database has seen, in their order. */
export const seenMigrations = (connection: Connection): Promise<string[]> =>
  withClient(connection, async (client) => {
    const { rows } = await client.query<{ made: string | null }>("select to_regclass('migrations')::text as made")
    if (!rows[0]?.made) return []
    const seen = await client.query<{ name: string }>('select name from migrations order by name')
    return seen.rows.map(({ name }) => name)
  })

/** A connection of its own, without the time limits of requests. */
export async function withClient<T>(connection: Connection, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5000, application_name: 'plumbline' })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
