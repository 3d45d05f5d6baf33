import { setTimeout } from 'node:timers/promises'
import { PG_MIGRATE_LOCK_ID } from 'node-pg-migrate'
import type pg from 'pg'
import { type Holder, lockHolder, tryLock } from '#sql/system/migrations.ts'
import { formatHolder } from './holders.ts'

const lookEveryMs = 250
const sayEveryMs = 60_000

/**
 * Takes the lock of all migrations for the session, the one that earlier versions take. It asks again and again instead
 * of waiting in a statement: an index that is made concurrently waits for the snapshots of all statements.
 */
export async function takeMigrationLock(client: pg.Client, tell: (sentence: string) => void): Promise<void> {
  let lastSaid = performance.now()
  for (;;) {
    const { text, values } = tryLock(PG_MIGRATE_LOCK_ID)
    const { rows } = await client.query<{ is_held: boolean }>(text, values)
    if (rows[0]?.is_held) return
    if (performance.now() - lastSaid > sayEveryMs) {
      lastSaid = performance.now()
      await sayHolder(client, tell)
    }
    await setTimeout(lookEveryMs)
  }
}

async function sayHolder(client: pg.Client, tell: (sentence: string) => void): Promise<void> {
  const { text, values } = lockHolder(PG_MIGRATE_LOCK_ID)
  const { rows } = await client.query<Holder>(text, values)
  for (const holder of rows) tell(`Waiting for ${formatHolder(holder)}, which brings the database up to date …`)
}
