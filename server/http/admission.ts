import { Refusal } from '#registry/refusals.ts'
import { makeShares, type Share, type Shares } from '../fair/shares.ts'
import { openGate, type Sort } from './gate.ts'
import type { World } from './world.ts'

/** The gate of a process as requests pass it, and whose share one takes there. */
export type Admission = {
  shares: Shares
  /** Does the work when there is room for it. What takes the time of whoever asks and not ours is done outside. */
  within<T>(sort: Sort, share: Share, work: (outside: Outside) => Promise<T>): Promise<T>
}

type Outside = <T>(work: () => Promise<T>) => Promise<T>

/** Made once: there may be thousands a second, and an error notes where it was made each time. */
export const noRoom = new Refusal('overloaded', { headers: { 'Retry-After': '1' } })

export function openAdmission(world: Pick<World, 'config' | 'clock' | 'metrics' | 'log'>): Admission {
  const gate = openGate(world)
  return {
    shares: makeShares(),
    async within(sort, share, work) {
      let enteredAt: number | undefined
      let place = sort
      const enter = async (entering: boolean | Promise<boolean>): Promise<void> => {
        if (!(entering === true || (entering !== false && (await entering)))) throw noRoom
        enteredAt = world.clock.elapsed()
      }
      const leave = (): void => {
        if (enteredAt !== undefined) gate.leave(place, share, enteredAt)
        enteredAt = undefined
      }
      try {
        await enter(gate.enter(sort, share))
        return await work(async (done) => {
          leave()
          const result = await done()
          place = 'again'
          await enter(gate.enterAgain(share))
          return result
        })
      } finally {
        leave()
      }
    },
  }
}
