import type { Share } from '../fair/shares.ts'
import { createSlots } from '../fair/slots.ts'
import { createWatch } from '../fair/watch.ts'
import type { Limits } from './database.ts'
import { Fault } from './faults.ts'

/**
 * Who is next to get a connection. What holds one may wait for a lock meanwhile, for seconds, and cannot be sent away:
 * so that a company's slow work never holds all connections, the last few are for those who hold none.
 */
export type ConnectionSlots = {
  /** Does the work when a connection is there for it. */
  withSlot<T>(share: Share, work: () => Promise<T>): Promise<T>
  waiting(): number
}

type Waiter = { until: number; begin(): void; giveUp(): void }

export function openConnectionSlots({
  connectionsMax,
  connectTimeout,
}: Pick<Limits, 'connectionsMax' | 'connectTimeout'>): ConnectionSlots {
  const slots = createSlots<Waiter>(sizeOf(connectionsMax))

  const wait = (share: Share): Promise<void> =>
    new Promise((resolve, reject) => {
      const giveUp = () => reject(new Fault('unavailable', new Error('a request waited too long for a connection')))
      slots.wait(share.key, share.within, { until: performance.now() + connectTimeout, begin: resolve, giveUp })
      watch()
    })

  /** Ends waiting that took too long. */
  const watch = createWatch(connectTimeout / 10, () => {
    const now = performance.now()
    for (const { giveUp } of slots.remove(({ until }) => until <= now)) giveUp()
    return slots.counts.waiting > 0
  })

  return {
    async withSlot(share, work) {
      if (!slots.take(share.key)) await wait(share)
      try {
        return await work()
      } finally {
        slots.leave(share.key)?.begin()
      }
    },
    waiting: () => slots.counts.waiting,
  }
}

/** A tenth, and one at least; of very few connections all are for anybody. */
function sizeOf(connectionsMax: number): { limit: number; reserve: number } {
  const reserve = connectionsMax < 4 ? 0 : Math.max(1, Math.floor(connectionsMax / 10))
  return { limit: connectionsMax - reserve, reserve }
}
