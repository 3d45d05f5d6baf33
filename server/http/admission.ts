import { Refusal } from '#registry/refusals.ts'
import { makeShares, type Share, type Shares } from '../fair/shares.ts'
import type { App } from './app.ts'
import { openLimiter, type Sort } from './limiter.ts'

/** The concurrency limiter of a process, as requests pass it, and whose share one takes there. */
export type Admission = {
  shares: Shares
  /** Does the work when there is room for it. What takes the time of the one who asks and not ours is done outside. */
  within<T>(sort: Sort, share: Share, work: (outside: Outside) => Promise<T>): Promise<T>
}

/** Comes back as what it was, or as another sort. */
type Outside = <T>(work: () => Promise<T>, back?: Sort) => Promise<T>

/** Made once: there may be thousands a second, and an error notes where it was made each time. */
export const overloaded = new Refusal('overloaded', { headers: { 'Retry-After': '1' } })

export function openAdmission(app: Pick<App, 'config' | 'clock' | 'metrics' | 'log'>): Admission {
  const limiter = openLimiter(app)
  return {
    shares: makeShares(),
    async within(sort, share, work) {
      let enteredAt: number | undefined
      let place = sort
      const enter = async (entering: boolean | Promise<boolean>): Promise<void> => {
        if (!(entering === true || (entering !== false && (await entering)))) throw overloaded
        enteredAt = app.clock.elapsed()
      }
      const leave = (): void => {
        if (enteredAt !== undefined) limiter.leave(place, share, enteredAt)
        enteredAt = undefined
      }
      try {
        await enter(limiter.enter(sort, share))
        return await work(async (done, back = sort) => {
          leave()
          const result = await done()
          place = back
          await enter(limiter.enterAgain(back, share))
          return result
        })
      } finally {
        leave()
      }
    },
  }
}
