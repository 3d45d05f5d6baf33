import { Refusal } from '#registry/refusals.ts'
import { makeShares, type Share, type Shares } from '../fair/shares.ts'
import type { App } from './app.ts'
import { openLimiter, type Sort } from './limiter.ts'

/** The concurrency limiter of a process, as requests pass it, and whose share one takes there. */
export type Admission = {
  shares: Shares
  /** Does the work when there is room for it. */
  within<T>(sort: Sort, share: Share, work: (slot: Slot) => Promise<T>): Promise<T>
  /** Does without the slot what waits for others. The request comes back as the sort that it was, or as another one. */
  outside<T>(slot: Slot, work: () => Promise<T>, back?: Sort): Promise<T>
}

/** What a request holds of the limiter; `enteredAt` is undefined while it holds nothing. */
export type Slot = { readonly share: Share; sort: Sort; enteredAt: number | undefined }

/** Made once: there may be thousands a second, and an error notes where it was made each time. */
export const overloaded = new Refusal('overloaded', { headers: { 'Retry-After': '1' } })

export function openAdmission(app: Pick<App, 'config' | 'clock' | 'metrics' | 'log'>): Admission {
  const limiter = openLimiter(app)
  const hold = async (slot: Slot, entering: boolean | Promise<boolean>): Promise<void> => {
    if (!(await entering)) throw overloaded
    slot.enteredAt = app.clock.elapsed()
  }
  const leave = (slot: Slot): void => {
    if (slot.enteredAt !== undefined) limiter.leave(slot.sort, slot.share, slot.enteredAt)
    slot.enteredAt = undefined
  }
  return {
    shares: makeShares(),
    async within(sort, share, work) {
      const slot: Slot = { share, sort, enteredAt: undefined }
      try {
        await hold(slot, limiter.enter(sort, share))
        return await work(slot)
      } finally {
        leave(slot)
      }
    },
    async outside(slot, work, back = slot.sort) {
      leave(slot)
      const result = await work()
      slot.sort = back
      await hold(slot, limiter.enterAgain(back, slot.share))
      return result
    },
  }
}
