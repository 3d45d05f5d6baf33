import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { runner } from 'node-pg-migrate'
import pg from 'pg'
import { distribute } from './citus/distribution.ts'
import type { Connection } from './database.ts'
import { isConflict } from './faults.ts'

const folder = join(import.meta.dirname, '../../migrations')

/**
 * Brings the database up to date, or takes the next `count` migrations; several processes that start together wait for
 * each other.
 */
export async function migrate(
  connection: Connection,
  onStep: (name: string) => void,
  count = Number.POSITIVE_INFINITY,
): Promise<void> {
  await besideOthers(connection, async (client) => {
    await runner({ ...runOn(client, onStep), direction: 'up', count })
    await distribute(client, onStep)
  })
}

const attemptsMax = 20

/**
 * An older process goes on serving meanwhile, and may hold what the next statement changes while it waits for what the
 * last one changed. PostgreSQL then ends one of the two; nothing was done, and it is tried again from the start.
 */
async function besideOthers<T>(connection: Connection, work: (client: pg.Client) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withClient(connection, work)
    } catch (error) {
      if (!isConflict(error) || attempt === attemptsMax) throw error
      await setTimeout(Math.random() * 100 * attempt)
    }
  }
}

/** Undoes all that came after `name`, in one transaction; the names of what was undone, newest first. */
export async function migrateBack(connection: Connection, name: string): Promise<string[]> {
  return besideOthers(connection, async (client) => {
    const { rows } = await client.query<{ name: string }>('select name from migrations order by id')
    const names = rows.map((row) => row.name)
    if (!names.includes(name)) throw new UnknownMigration(names)
    const undone = names.slice(names.indexOf(name) + 1).toReversed()
    if (undone.length > 0) await runner({ ...runOn(client, () => {}), direction: 'down', count: undone.length })
    return undone
  })
}

/** What was given as the migration to go back to is none of those that the database has. */
export class UnknownMigration extends Error {
  override name = 'UnknownMigration'
  readonly known: readonly string[]
  constructor(known: readonly string[]) {
    super('no such migration')
    this.known = known
  }
}

const runOn = (dbClient: pg.Client, onStep: (name: string) => void) => ({
  dbClient,
  dir: folder,
  migrationsTable: 'migrations',
  advisoryLockMode: 'wait' as const,
  singleTransaction: true,
  logger: { debug: () => {}, info: () => {}, warn: () => {}, error: (text: unknown) => onStep(String(text)) },
})

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
