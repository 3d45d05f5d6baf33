import type { Share } from '../fair/shares.ts'
import { createSlots } from '../fair/slots.ts'
import { createWatch } from '../fair/watch.ts'
import { waitFor } from '../wait/wait.ts'
import type { Limits } from './database.ts'
import { Fault } from './faults.ts'

/**
 * Opens the fair queue for connections. Work that holds one may wait seconds for a lock, and cannot be interrupted. So
 * the last few connections are for companies that hold none: slow work of one company never holds all.
 */
export function openConnectionSlots({ connectionsMax, connectTimeout }: Limits) {
  const slots = createSlots<{ until: number; begin(): void; giveUp(): void }>(sizeOf(connectionsMax))

  const wait = (share: Share): Promise<void> =>
    waitFor('its queue', (resolve, reject) => {
      const giveUp = () => reject(new Fault('unavailable', new Error('a request waited too long for a connection')))
      slots.wait(share.key, share.within, { until: performance.now() + connectTimeout, begin: resolve, giveUp })
      watch()
    })

  const watch = createWatch(connectTimeout / 10, () => {
    const now = performance.now()
    for (const { giveUp } of slots.remove(({ until }) => until <= now)) giveUp()
    return slots.counts.waiting > 0
  })

  return {
    /** Runs `work` when a connection is free for it. Rejects with a `Fault` after the longest wait. */
    async withSlot<T>(share: Share, work: () => Promise<T>): Promise<T> {
      if (!slots.take(share.key)) await wait(share)
      try {
        return await work()
      } finally {
        slots.leave(share.key)?.begin()
      }
    },
    waiting: (): number => slots.counts.waiting,
  }
}

/** Reserves a tenth of the connections, one at least. Fewer than four are not divided. */
function sizeOf(connectionsMax: number): { limit: number; reserve: number } {
  const reserve = connectionsMax < 4 ? 0 : Math.max(1, Math.floor(connectionsMax / 10))
  return { limit: connectionsMax - reserve, reserve }
}
