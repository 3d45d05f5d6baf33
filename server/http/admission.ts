import { Refusal } from '#registry/refusals.ts'
import { createShares, type Share } from '../fair/shares.ts'
import type { App } from './app.ts'
import { openLimiter, type RequestSort } from './limiter.ts'

export type Admission = ReturnType<typeof openAdmission>

/** The slot of a request; `enteredAt` is undefined while it holds none. */
export type Slot = { readonly share: Share; readonly sort: RequestSort; enteredAt: number | undefined }

/** Created once: there may be thousands a second, and each new error records its stack. */
export const overloadedRefusal = new Refusal('overloaded', { headers: { 'Retry-After': '1' } })

/** Polls that arrive together get different retry times, in seconds, so that they do not return together. */
const pollRetrySecondsMax = 15
const overloadedPolls = Array.from(
  { length: pollRetrySecondsMax },
  (_, index) => new Refusal('overloaded', { headers: { 'Retry-After': String(index + 1) } }),
)
const refusalOf = (sort: RequestSort): Refusal =>
  (sort === 'polls' && overloadedPolls[Math.floor(Math.random() * pollRetrySecondsMax)]) || overloadedRefusal

/** `Retry-After` is in seconds. The disk is checked each second, but only an operator makes room on it. */
const noRoom = new Refusal('unavailable', {
  detail: 'There is too little room for writes at the moment. Reads go on.',
  headers: { 'Retry-After': '10' },
})

/** Opens the concurrency limiter of a process, with the share of each request. */
export function openAdmission(app: Pick<App, 'config' | 'clock' | 'metrics' | 'log' | 'room'>) {
  const limiter = openLimiter(app)
  const hold = async (slot: Slot, entering: boolean | Promise<boolean>): Promise<void> => {
    if (!(await entering)) throw refusalOf(slot.sort)
    slot.enteredAt = app.clock.elapsed()
  }
  const leave = (slot: Slot): void => {
    if (slot.enteredAt !== undefined) limiter.leave(slot.sort, slot.share, slot.enteredAt)
    slot.enteredAt = undefined
  }
  return {
    shares: createShares(),
    /** Throws if the disk of the database has no room for writes, before anything is begun. */
    refuseWritesInShortage(): void {
      if (!app.room.isShort) return
      app.metrics.shed('no-room')
      throw noRoom
    },
    /** Runs the work when there is a slot for it. */
    async within<T>(sort: RequestSort, share: Share, work: (slot: Slot) => Promise<T>): Promise<T> {
      const slot: Slot = { share, sort, enteredAt: undefined }
      try {
        await hold(slot, limiter.enter(sort, share))
        return await work(slot)
      } finally {
        leave(slot)
      }
    },
    /** Runs work that waits for others, without the slot. */
    async outside<T>(slot: Slot, work: () => Promise<T>): Promise<T> {
      leave(slot)
      const result = await work()
      await hold(slot, limiter.enterAgain(slot.sort, slot.share))
      return result
    },
  }
}
