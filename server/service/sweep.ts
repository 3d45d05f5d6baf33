import { sweepAnswers } from '#derive/queries/idempotency.ts'
import { sweepSessions } from '#derive/queries/session.ts'
import { sweepAttempts } from '#derive/queries/sign-in.ts'
import type { Statement } from '#derive/queries/statement.ts'
import { foldTallies } from '#derive/queries/tally.ts'
import type { Database } from '../store/database.ts'
import { attemptWindowSeconds } from './attempts.ts'

/** What is tidied up while the service runs. Nothing ever depends on when, or on which process does it. */
export type Sweeper = { stop(): Promise<void> }

export type Chore = {
  /** One small batch, so that no transaction is long; a row back for each thing that it tidied. */
  batch(most: number): Statement
  batchMax: number
  everyMilliseconds: number
}

/** Stored answers whose time is over. */
export const answersChore: Chore = { batch: sweepAnswers, batchMax: 1000, everyMilliseconds: 600_000 }
/** Sessions that are over, and attempts to sign in that are forgotten. */
const sessionsChore: Chore = { batch: sweepSessions, batchMax: 1000, everyMilliseconds: 600_000 }
const attemptsChore: Chore = {
  batch: (most) => sweepAttempts(most, attemptWindowSeconds),
  batchMax: 1000,
  everyMilliseconds: 600_000,
}
/** Changes that a total is still the sum of: the fewer, the quicker a list. */
export const talliesChore: Chore = { batch: foldTallies, batchMax: 5000, everyMilliseconds: 2000 }

export function startSweeper(database: Database, onError: (error: unknown) => void): Sweeper {
  let stopped = false
  const running = new Map<Chore, Promise<unknown>>()
  const timers = [answersChore, sessionsChore, attemptsChore, talliesChore].map((chore) => {
    const work = async (): Promise<void> => {
      if (running.has(chore)) return
      running.set(chore, sweep(database, chore, () => stopped).catch(onError))
      await running.get(chore)
      running.delete(chore)
    }
    return setInterval(() => void work(), chore.everyMilliseconds).unref()
  })
  return {
    stop: async () => {
      stopped = true
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running.values())
    },
  }
}

/** Batch after batch until one is not full; returns how many things were tidied. */
export async function sweep(database: Database, chore: Chore, isStopped: () => boolean): Promise<number> {
  for (let swept = 0; ; ) {
    const rows = await database.read(chore.batch(chore.batchMax))
    swept += rows.length
    if (rows.length < chore.batchMax || isStopped()) return swept
  }
}
