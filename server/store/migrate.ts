import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { distribute } from './citus/distribution.ts'
import { type Connection, factsLimit, refuseSharedSessions, withClient } from './connect.ts'
import { appliedMigrations, knownMigrations, loadersOf, shippedMigrations } from './migration-files.ts'
import { giveUpAfterMs, type RetryOptions, retryMigration } from './migration-retry.ts'

type Options = Partial<Pick<RetryOptions, 'giveUpMs'>> & { folder?: string }

/**
 * Applies all pending migrations, or the next `count`. Each is a transaction of its own, so only an interrupted one is
 * repeated; a new database is created in one transaction. Processes that start together wait for each other.
 */
export async function migrate(
  connection: Connection,
  tell: (sentence: string) => void,
  {
    count = Number.POSITIVE_INFINITY,
    folder = shippedMigrations,
    giveUpMs = giveUpAfterMs,
  }: Options & { count?: number } = {},
): Promise<void> {
  await refuseSharedSessions(connection)
  await retryMigration(connection, { tell, giveUpMs }, async (client) => {
    const applied = await appliedMigrations(client)
    if (!isDeepStrictEqual(applied, await knownMigrations(folder)))
      await run(client, { direction: 'up', count, folder, singleTransaction: applied.length === 0 })
    await distribute(client, tell)
  })
}

/** Undoes all migrations after `name`, each in a transaction of its own. Returns their names, newest first. */
export async function migrateBack(
  connection: Connection,
  name: string,
  tell: (sentence: string) => void = () => {},
  { folder = shippedMigrations, giveUpMs = giveUpAfterMs }: Options = {},
): Promise<string[]> {
  await refuseSharedSessions(connection)
  let undone: string[] | undefined
  return retryMigration(connection, { tell, giveUpMs }, async (client) => {
    const names = await appliedMigrations(client)
    if (!names.includes(name)) throw new UnknownMigration(names)
    const after = names.slice(names.indexOf(name) + 1).toReversed()
    // An attempt before this one may have undone some of them.
    undone ??= after
    if (after.length > 0)
      await run(client, { direction: 'down', count: after.length, folder, singleTransaction: false })
    return undone
  })
}

/** Thrown when the database does not have the migration to go back to. */
export class UnknownMigration extends Error {
  override name = 'UnknownMigration'
  readonly known: readonly string[]
  constructor(known: readonly string[]) {
    super('no such migration')
    this.known = known
  }
}

type Run = { direction: 'up' | 'down'; count: number; folder: string; singleTransaction: boolean }

/** Runs migrations. Throws the error of the database itself, which the library keeps as a part of a text. */
async function run(client: pg.Client, { folder, ...how }: Run): Promise<void> {
  let refused: pg.DatabaseError | undefined
  const dbClient = watchQueries(client, (error) => {
    refused = error
  })
  // Loaded here, because most starts have nothing to migrate.
  const { runner } = await import('node-pg-migrate')
  try {
    await runner({
      ...how,
      dbClient,
      dir: folder,
      migrationLoaderStrategies: loadersOf(how.singleTransaction),
      migrationsTable: 'migrations',
      noLock: true,
      logger: silent,
    })
  } catch (error) {
    throw refused && String(error).includes(refused.message) ? refused : error
  }
}

/** Returns the same client, which passes the errors of refused statements to `onRefused`. */
function watchQueries(client: pg.Client, onRefused: (error: pg.DatabaseError) => void): pg.Client {
  const query = client.query.bind(client) as (...values: unknown[]) => Promise<unknown>
  const watched = async (...values: unknown[]): Promise<unknown> => {
    try {
      return await query(...values)
    } catch (error) {
      if (error instanceof pg.DatabaseError) onRefused(error)
      throw error
    }
  }
  return Object.assign(Object.create(client), { query: watched })
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** Returns the migrations that the database does not have yet. */
export async function pendingMigrations(connection: Connection): Promise<string[]> {
  const seen = new Set(await seenMigrations(connection))
  return (await knownMigrations()).filter((name) => !seen.has(name))
}

export const seenMigrations = (connection: Connection): Promise<string[]> =>
  withClient(connection, factsLimit, appliedMigrations)
