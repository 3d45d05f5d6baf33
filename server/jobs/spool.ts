import type { Statement } from '#sql/statement.ts'
import { type CallRow, insertCalls } from '#sql/system/calls.ts'
import type { Database } from '../store/database.ts'
import type { BackgroundRunner, Job } from './in-background.ts'

export type Spool<Row> = ReturnType<typeof startSpool<Row>>

type SpoolOptions<Row> = {
  insert(rows: readonly Row[]): Statement
  batchMax: number
  /** Most rows in the buffer while the database is away. The oldest are dropped first. */
  keptMax: number
  onLoss(lost: number): void
  job: Job
  inBackground: BackgroundRunner
}

/** Short, so that batches are small: a thousand rows at once would delay the calls of that moment. */
const flushEveryMilliseconds = 100

/** Starts a buffer of rows that are written together after a moment. A crash loses the buffered rows. */
export function startSpool<Row>(
  database: Database,
  { insert, batchMax, keptMax, onLoss, job, inBackground }: SpoolOptions<Row>,
) {
  let kept: Row[] = []
  let running: Promise<void> = Promise.resolve()

  const writeAll = async (): Promise<void> => {
    while (kept.length > 0) {
      const batch = kept.slice(0, batchMax)
      try {
        await database.read(insert(batch))
        kept = kept.slice(batch.length)
      } catch (error) {
        const lost = Math.max(0, kept.length - keptMax)
        kept = kept.slice(lost)
        onLoss(lost)
        throw error
      }
    }
  }
  /** Writes the buffered rows now. */
  const flush = (): Promise<void> => {
    running = running.then(() => inBackground(job, writeAll))
    return running
  }
  const timer = setInterval(() => void flush(), flushEveryMilliseconds)
  timer.unref()

  return {
    add: (row: Row): void => void kept.push(row),
    flush,
    /** Stops the timer and flushes. */
    close: (): Promise<void> => {
      clearInterval(timer)
      return flush()
    },
  }
}

/**
 * The log of reads and of refused authorizations. A write logs its own call in its own transaction. A crash loses at
 * most a second of them. Decisions, Metering.
 */
export type Meter = Spool<CallRow>

export const startMeter = (database: Database, inBackground: BackgroundRunner, onLoss: (lost: number) => void): Meter =>
  startSpool(database, { insert: insertCalls, batchMax: 1000, keptMax: 100_000, onLoss, job: 'calls', inBackground })
