import { sweepAnswers } from '#derive/queries/idempotency.ts'
import { sweepSessions } from '#derive/queries/session.ts'
import { sweepAttempts } from '#derive/queries/sign-in.ts'
import type { Statement } from '#derive/queries/statement.ts'
import type { Database } from '../store/database.ts'
import { attemptWindowSeconds } from './sign-in.ts'

/** Removes answers, sessions and counts that no longer mean anything, now and then; nothing ever depends on it. */
export type Sweeper = { stop(): Promise<void> }

const firstAfterMilliseconds = 60_000
const everyMilliseconds = 3_600_000
const batchMax = 1000

export function startSweeper(database: Database, onError: (error: unknown) => void): Sweeper {
  let stopped = false
  let running: Promise<unknown> = Promise.resolve()
  const sweepNow = (): void => {
    running = sweep(database, () => stopped).catch(onError)
  }
  const first = setTimeout(sweepNow, firstAfterMilliseconds).unref()
  const timer = setInterval(sweepNow, everyMilliseconds).unref()
  return {
    stop: async () => {
      stopped = true
      clearTimeout(first)
      clearInterval(timer)
      await running
    },
  }
}

const sweeps: readonly ((most: number) => Statement)[] = [
  sweepAnswers,
  sweepSessions,
  (most) => sweepAttempts(most, attemptWindowSeconds),
]

/** Small batches, so that no transaction is long; returns how many rows went. */
export async function sweep(database: Database, isStopped: () => boolean): Promise<number> {
  let swept = 0
  for (const batch of sweeps) {
    for (let rows = batchMax; rows === batchMax; ) {
      if (swept > 0 && isStopped()) return swept
      rows = (await database.read(batch(batchMax))).length
      swept += rows
    }
  }
  return swept
}
