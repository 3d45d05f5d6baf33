import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { selectBackend, setInSession } from '#sql/system/connection.ts'
import { type Holder, lockHolder, tryLock } from '#sql/system/migrations.ts'
import { type Connection, codeOf, withClient } from './connect.ts'
import { isConflict } from './faults.ts'
import { formatHolder, watchHolders } from './holders.ts'
import { appliedMigrations } from './migration-files.ts'

export type RetryOptions = {
  tell: (sentence: string) => void
  /** Milliseconds without a finished migration, while others block it, after which it gives up. */
  giveUpMs: number
}

/**
 * Callers of an older process wait behind a migration that waits for a lock. So it waits this long at most, and retries
 * after a pause in which they are answered. On busy processors, a lock that others hold for milliseconds may take
 * longer than the least. So each attempt waits half as long again.
 */
const lockTimeoutMs = { least: 300, most: 1000 }
const pauseMs = { least: 1000, most: 10_000 }
const watchAfterMs = 2000
export const giveUpAfterMs = 600_000
const sayEveryMs = 60_000

/** The key of the advisory lock of all migrations: that of node-pg-migrate, under which other versions migrate. */
export const migrationLock = 7_241_865_325_823_964

/** Thrown when other sessions blocked a migration for too long. */
export class MigrationBlocked extends Error {
  override name = 'MigrationBlocked'
  constructor(holders: readonly Holder[], waitedMs: number, cause: unknown) {
    const who = holders.map(formatHolder).join(', ') || 'another session'
    super(
      `The database could not be brought up to date for ${formatDuration(waitedMs)}, because ${who} holds what has to be changed: end it, or wait for its end; then start again, which goes on where this stopped.`,
      { cause },
    )
  }
}

const formatDuration = (ms: number): string =>
  ms < 120_000 ? `${Math.round(ms / 1000)} seconds` : `${Math.round(ms / 60_000)} minutes`

/**
 * Runs `work` under the lock of all migrations, with a new connection for each attempt: after an error the library
 * leaves its transaction open. An attempt that others blocked is retried; finished migrations are not repeated.
 */
export async function retryMigration<T>(
  connection: Connection,
  { tell, giveUpMs }: RetryOptions,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const say = limitRate(tell)
  let holders: readonly Holder[] = []
  const start = { pause: pauseMs.least, lockTimeout: lockTimeoutMs.least, blockedSince: Number.POSITIVE_INFINITY }
  let { pause, lockTimeout, blockedSince } = start
  let applied = -1
  for (let attempt = 1; ; attempt++) {
    try {
      return await withClient(connection, 'a stop', async (client) => {
        await takeMigrationLock(client, tell)
        const { length } = await appliedMigrations(client)
        if (length !== applied) ({ pause, lockTimeout, blockedSince } = start)
        applied = length
        await client.query(setInSession('lock_timeout', `${lockTimeout}ms`))
        const watch = watchHolders(connection, await backendOf(client), attempt === 1 ? watchAfterMs : 0, say)
        try {
          return await work(client)
        } finally {
          await watch.stop()
          holders = watch.last()
        }
      })
    } catch (error) {
      if (!isInTheWay(error)) throw error
      const now = performance.now()
      blockedSince = Math.min(blockedSince, now)
      if (now - blockedSince >= giveUpMs) throw new MigrationBlocked(holders, now - blockedSince, error)
      // A random pause, so that it does not meet regular work of others each time.
      await setTimeout(pause * (1 + Math.random() / 2))
      pause = Math.min(2 * pause, pauseMs.most)
      lockTimeout = Math.min(Math.round(1.5 * lockTimeout), lockTimeoutMs.most)
    }
  }
}

/** Returns whether a lock was not free in time, or servers behind a coordinator had a conflict. */
const isInTheWay = (error: unknown): boolean => codeOf(error) === '55P03' || isConflict(error)

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(selectBackend())
  return rows[0]?.pid as number
}

/** Returns a function that reports the blocking sessions, at most once a minute. */
function limitRate(tell: (sentence: string) => void): (holders: readonly Holder[]) => void {
  let lastSaid = Number.NEGATIVE_INFINITY
  return (holders) => {
    if (performance.now() - lastSaid < sayEveryMs) return
    lastSaid = performance.now()
    tell(`Waiting for ${holders.map(formatHolder).join(', ')} …`)
  }
}

const lookEveryMs = 250

/**
 * Takes the lock of all migrations for the session; earlier versions take the same. It polls instead of waiting in a
 * statement: an index that is created concurrently waits for the snapshots of all statements.
 */
async function takeMigrationLock(client: pg.Client, tell: (sentence: string) => void): Promise<void> {
  let lastSaid = performance.now()
  for (;;) {
    const { rows } = await client.query<{ is_held: boolean }>(tryLock(migrationLock))
    if (rows[0]?.is_held) return
    if (performance.now() - lastSaid > sayEveryMs) {
      lastSaid = performance.now()
      await sayHolder(client, tell)
    }
    await setTimeout(lookEveryMs)
  }
}

async function sayHolder(client: pg.Client, tell: (sentence: string) => void): Promise<void> {
  const { rows } = await client.query<Holder>(lockHolder(migrationLock))
  for (const holder of rows) tell(`Waiting for ${formatHolder(holder)}, which brings the database up to date …`)
}
