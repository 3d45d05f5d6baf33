import { type CallRow, insertCalls } from '#sql/system/calls.ts'
import type { Database } from '../store/database.ts'

/**
 * The calls of reads and of refusals of authorization, kept for a moment and written together. A write logs its own call
 * in its own transaction. Decisions, Metering: what is kept here is lost in a crash, at most a second of it.
 */
export type Meter = {
  add(call: CallRow): void
  /** Writes what is kept, now. */
  flush(): Promise<void>
  /** Flushes and takes no more time. */
  close(): Promise<void>
}

/** A little at a time: a thousand rows at once would hold up whoever calls meanwhile. */
const flushEveryMilliseconds = 100
const batchMax = 1000
/** While the database is away calls are kept, up to this many; the oldest go first. */
const keptMax = 100_000

export function startMeter(database: Database, onLoss: (lost: number, error: unknown) => void): Meter {
  let kept: CallRow[] = []
  let running: Promise<void> = Promise.resolve()

  const writeAll = async (): Promise<void> => {
    while (kept.length > 0) {
      const batch = kept.slice(0, batchMax)
      try {
        await database.read(insertCalls(batch))
        kept = kept.slice(batch.length)
      } catch (error) {
        const lost = Math.max(0, kept.length - keptMax)
        kept = kept.slice(lost)
        onLoss(lost, error)
        return
      }
    }
  }
  const flush = (): Promise<void> => {
    running = running.then(writeAll)
    return running
  }
  const timer = setInterval(() => void flush(), flushEveryMilliseconds)
  timer.unref()

  return {
    add: (call) => void kept.push(call),
    flush,
    close: () => {
      clearInterval(timer)
      return flush()
    },
  }
}
