import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, join, type Membership } from './users.ts'

/** A membership that is taken again whenever its connection was lost: others may stop and start PostgreSQL meanwhile. */
export type LastingMembership = Pick<Membership, 'leave'> & {
  /** Replaces how it is taken again; `join` alone starts nothing. */
  retakeBy(way: Way): void
}

/** Takes a membership again, or rejects. `pauseMsMax` bounds the pause between two tries, which is doubled each time. */
export type Way = { retake(leaving: AbortSignal): Promise<Membership>; pauseMsMax: number }

const pauseMsMin = 250

export function stay(first: Membership, connection: Connection): LastingMembership {
  const leaving = new AbortController()
  const { signal } = leaving
  const left = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  let way: Way = { retake: () => join(connection), pauseMsMax: pauseMsMin }
  let held: Membership | undefined = first
  const staying = keep()

  async function keep(): Promise<void> {
    while (held) {
      await Promise.race([held.lost, left])
      if (signal.aborted) return
      held = undefined
      held = await retaken()
    }
  }

  async function retaken(): Promise<Membership | undefined> {
    for (let pauseMs = pauseMsMin; ; pauseMs *= 2) {
      await sleep(Math.min(pauseMs, way.pauseMsMax), undefined, { ref: false, signal }).catch(() => undefined)
      if (signal.aborted) return undefined
      const membership = await way.retake(signal).catch(() => undefined)
      if (membership) return membership
    }
  }

  return {
    retakeBy(other) {
      way = other
    },
    async leave(whenLast) {
      leaving.abort()
      await staying
      const membership = held ?? (await join(connection).catch(() => undefined))
      await membership?.leave(whenLast)
    },
  }
}
