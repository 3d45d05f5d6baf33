import { makePlaces } from '../fair/places.ts'
import type { Share } from '../fair/shares.ts'
import { makeWatch } from '../fair/watch.ts'
import { Fault } from './faults.ts'

/**
 * Who is next to get a connection. What holds one may wait for a lock meanwhile, for seconds, and cannot be sent away:
 * so that a company's slow work never holds all connections, the last few are for those who hold none.
 */
export type Seats = {
  /** Does the work when a connection is there for it. */
  seated<T>(share: Share, work: () => Promise<T>): Promise<T>
  waiting(): number
}

type Waiter = { until: number; sit(): void; giveUp(): void }

export function openSeats({
  connectionsMax,
  connectTimeout,
}: {
  connectionsMax: number
  connectTimeout: number
}): Seats {
  const places = makePlaces<Waiter>(sizeOf(connectionsMax))

  const wait = (share: Share): Promise<void> =>
    new Promise((resolve, reject) => {
      const giveUp = () => reject(new Fault('unavailable', new Error('a request waited too long for a connection')))
      places.wait(share.key, share.within, { until: performance.now() + connectTimeout, sit: resolve, giveUp })
      watch()
    })

  /** Ends waiting that took too long. */
  const watch = makeWatch(connectTimeout / 10, () => {
    const now = performance.now()
    for (const { giveUp } of places.remove(({ until }) => until <= now)) giveUp()
    return places.counts.waiting > 0
  })

  return {
    async seated(share, work) {
      if (!places.take(share.key)) await wait(share)
      try {
        return await work()
      } finally {
        places.leave(share.key)?.sit()
      }
    },
    waiting: () => places.counts.waiting,
  }
}

/** A tenth, and one at least; of very few connections all are for anybody. */
function sizeOf(connectionsMax: number): { limit: number; reserve: number } {
  const reserve = connectionsMax < 4 ? 0 : Math.max(1, Math.floor(connectionsMax / 10))
  return { limit: connectionsMax - reserve, reserve }
}
