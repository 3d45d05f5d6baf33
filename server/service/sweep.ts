import { sweepAnswers } from '#derive/queries/idempotency.ts'
import type { Database } from '../store/database.ts'

/** Removes stored answers that no longer count, now and then; nothing ever depends on it. */
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

/** Small batches, so that no transaction is long; returns how many answers went. */
export async function sweep(database: Database, isStopped: () => boolean): Promise<number> {
  for (let swept = 0; ; ) {
    const rows = await database.read(sweepAnswers(batchMax))
    swept += rows.length
    if (rows.length < batchMax || isStopped()) return swept
  }
}
