import type { Statement } from '#sql/statement.ts'
import { type CallRow, insertCalls } from '#sql/system/calls.ts'
import type { Database } from '../store/database.ts'
import type { BackgroundRunner, Job } from './in-background.ts'

/** Rows that are kept for a moment and written together; what is kept here is lost in a crash. */
export type Spool<Row> = {
  add(row: Row): void
  /** Writes what is kept, now. */
  flush(): Promise<void>
  /** Flushes and takes no more time. */
  close(): Promise<void>
}

export type SpoolOptions<Row> = {
  insert(rows: readonly Row[]): Statement
  batchMax: number
  /** While the database is away rows are kept, up to this many; the oldest go first. */
  keptMax: number
  onLoss(lost: number): void
  job: Job
  inBackground: BackgroundRunner
}

/** A little at a time: a thousand rows at once would hold up the calls of the meantime. */
const flushEveryMilliseconds = 100

export function startSpool<Row>(
  database: Database,
  { insert, batchMax, keptMax, onLoss, job, inBackground }: SpoolOptions<Row>,
): Spool<Row> {
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
  const flush = (): Promise<void> => {
    running = running.then(() => inBackground(job, writeAll))
    return running
  }
  const timer = setInterval(() => void flush(), flushEveryMilliseconds)
  timer.unref()

  return {
    add: (row) => void kept.push(row),
    flush,
    close: () => {
      clearInterval(timer)
      return flush()
    },
  }
}

/**
 * The calls of reads and of refusals of authorization. A write logs its own call in its own transaction. Decisions,
 * Metering: a crash loses at most a second of them.
 */
export type Meter = Spool<CallRow>

export const startMeter = (database: Database, inBackground: BackgroundRunner, onLoss: (lost: number) => void): Meter =>
  startSpool(database, { insert: insertCalls, batchMax: 1000, keptMax: 100_000, onLoss, job: 'calls', inBackground })
