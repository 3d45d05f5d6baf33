import { changedCompanies } from '#sql/system/changes.ts'
import type { Database } from '../store/database.ts'
import { waitFor } from '../wait/wait.ts'

export type ChangeWatch = ReturnType<typeof startChangeWatch>

/** The position below which the whole log was seen. */
export type Watermark = { epoch: number; pos: string }

type Waiter = { seen: Watermark; wake(): void }

const pollMilliseconds = 100
/** The pause after a commit of this process, which may be the awaited change. */
const lookSoonMilliseconds = 20
/** The pause while the database does not answer. */
const retryMilliseconds = 1000

type WatchOptions = {
  /** Runs a look at the log; never rejects. */
  inBackground(look: () => Promise<void>): Promise<void>
  /** Called with the number of waiting callers, whenever it changes. */
  onCount(count: number): void
}

/**
 * Wakes callers that wait for a change of their company. One statement polls for all of them, and only while a caller
 * waits. A waiting caller holds no connection and no thread, and costs a write nothing. Decisions, Changes.
 */
export function startChangeWatch(
  database: Pick<Database, 'read' | 'onCommit'>,
  { inBackground, onCount }: WatchOptions,
) {
  const waiting = new Map<number, Set<Waiter>>()
  let count = 0
  let timer: NodeJS.Timeout | undefined
  /** Whether the timer was set after a commit of this process. */
  let isSoon = false
  let hasCommitted = false
  let isPolling = false
  let isClosed = false

  const poll = async (): Promise<void> => {
    timer = undefined
    isPolling = true
    hasCommitted = false
    const asked = [...waiting]
    const seen = asked.map(([companyId, waiters]) => ({ companyId, ...findOldest(waiters) }))
    let pause = retryMilliseconds
    await inBackground(async () => {
      const [row] = await database.read<{ epoch: number; pos: string; company_ids: number[] }>(changedCompanies(seen))
      const { epoch, pos, company_ids } = row as NonNullable<typeof row>
      const changed = new Set(company_ids.map(Number))
      for (const [index, [companyId, waiters]] of asked.entries()) {
        for (const waiter of waiters) {
          if (changed.has(companyId)) waiter.wake()
          // A caller that came meanwhile with an earlier position waits for the next poll.
          else if (!isBefore(waiter.seen, seen[index] as Watermark))
            waiter.seen = pickLater(waiter.seen, { epoch, pos })
        }
      }
      pause = pollMilliseconds
    })
    isPolling = false
    plan(hasCommitted ? Math.min(pause, lookSoonMilliseconds) : pause)
  }
  const plan = (milliseconds: number): void => {
    if (timer || isPolling || waiting.size === 0) return
    timer = setTimeout(() => void poll(), milliseconds)
    isSoon = milliseconds <= lookSoonMilliseconds
  }
  const cancel = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  const lookSoon = (): void => {
    hasCommitted = true
    if (!timer || isSoon) return
    cancel()
    plan(lookSoonMilliseconds)
  }
  database.onCommit(lookSoon)

  return {
    /** Waits for a change from `seen` on, for `milliseconds` at most or until `gone`. False once closed. */
    wait: (companyId: number, seen: Watermark, milliseconds: number, gone: AbortSignal): Promise<boolean> =>
      waitFor('its own timer', (resolve) => {
        if (isClosed || gone.aborted) return resolve(false)
        const waiters = waiting.get(companyId) ?? new Set<Waiter>()
        const wake = (): void => {
          clearTimeout(deadline)
          gone.removeEventListener('abort', wake)
          waiters.delete(waiter)
          if (waiters.size === 0 && waiting.get(companyId) === waiters) waiting.delete(companyId)
          if (waiting.size === 0) cancel()
          onCount(--count)
          resolve(!isClosed)
        }
        const waiter: Waiter = { seen, wake }
        const deadline = setTimeout(wake, milliseconds)
        gone.addEventListener('abort', wake, { once: true })
        waiting.set(companyId, waiters.add(waiter))
        onCount(++count)
        plan(lookSoonMilliseconds)
      }),
    /** Wakes all callers at once, and all later ones. */
    close(): void {
      isClosed = true
      for (const waiters of [...waiting.values()]) for (const { wake } of [...waiters]) wake()
    },
  }
}

/** Returns whether a position of the log is before another one. */
export const isBefore = (one: Watermark, other: Watermark): boolean =>
  one.epoch < other.epoch || (one.epoch === other.epoch && one.pos !== other.pos && BigInt(one.pos) < BigInt(other.pos))

const pickLater = (one: Watermark, other: Watermark): Watermark => (isBefore(one, other) ? other : one)

const findOldest = (waiters: ReadonlySet<Waiter>): Watermark =>
  [...waiters].map(({ seen }) => seen).reduce((one, other) => (isBefore(other, one) ? other : one))
