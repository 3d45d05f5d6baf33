import { createHeap, type HeapEntry, notIn } from './heap.ts'
import { createTurns, type Key, type Turns } from './turns.ts'

export type Slots<Waiter> = ReturnType<typeof createSlots<Waiter>>

/** `reserve` comes on top of `limit`. */
export type Size = { limit: number; reserve: number }

export type Counts = {
  underWay: number
  waiting: number
  /** Count of keys with anything under way or waiting. */
  keys: number
  /** Count under way and waiting of the key with the most. */
  heaviest: number
}

/** An entry is deleted with its last slot and waiter. */
type Entry<Waiter> = HeapEntry & { key: Key; underWay: number; servedAt: number; waiters: Turns<Waiter> | null }

/**
 * Shares slots between keys; work under way takes one each. A free slot goes to any key, so a single key can have all.
 * If none is free, the waiting key with the fewest under way is next; among equals the one served longest ago. Clocks
 * and time limits belong to the caller. Decisions, Shares.
 */
export function createSlots<Waiter>(size: Size) {
  let { limit, reserve } = size
  const entries = new Map<Key, Entry<Waiter>>()
  /** The keys that wait: the one with the fewest under way first, among equals the one served longest ago. */
  const heap = createHeap<Entry<Waiter>>((one, other) =>
    one.underWay === other.underWay ? one.servedAt < other.servedAt : one.underWay < other.underWay,
  )
  /** Count of keys by load. A load changes by one at a time, so the greatest is always known. */
  const keysByLoad: number[] = [0]
  let [underWay, waiting, heaviest, served] = [0, 0, 0, 0]

  const loadOf = (entry: Entry<Waiter> | undefined): number => (entry ? entry.underWay + (entry.waiters?.size ?? 0) : 0)

  const entryOf = (key: Key): Entry<Waiter> => {
    let entry = entries.get(key)
    if (!entry) {
      entry = { key, underWay: 0, waiters: null, servedAt: 0, index: notIn }
      entries.set(key, entry)
    }
    return entry
  }
  /** Moves a key to the load above. */
  const heavier = (load: number): void => {
    if (load > 1) (keysByLoad[load - 1] as number)--
    keysByLoad[load] = (keysByLoad[load] ?? 0) + 1
    if (load > heaviest) heaviest = load
  }
  const lighter = (load: number): void => {
    const left = --(keysByLoad[load + 1] as number)
    if (load > 0) keysByLoad[load] = (keysByLoad[load] ?? 0) + 1
    if (left === 0 && heaviest === load + 1) heaviest = load
  }
  const hasSlotFor = (entry: Entry<Waiter> | undefined): boolean =>
    underWay < limit || (underWay < limit + reserve && (entry === undefined || entry.underWay === 0))

  const next = (): Waiter | undefined => {
    const [entry] = heap.entries
    if (!entry?.waiters || !hasSlotFor(entry)) return undefined
    const waiter = entry.waiters.shift()
    waiting--
    underWay++
    entry.underWay++
    entry.servedAt = ++served
    settle(entry)
    return waiter
  }
  /** Moves an entry after its numbers have changed, or removes it if nothing of it waits. */
  const settle = (entry: Entry<Waiter>): void => {
    if (entry.waiters && entry.waiters.size > 0) heap.putIn(entry)
    else if (entry.index >= 0) {
      heap.takeOut(entry)
      entry.waiters = null
    }
    if (loadOf(entry) === 0) entries.delete(entry.key)
  }
  return {
    get counts(): Counts {
      return { underWay, waiting, keys: entries.size, heaviest }
    },
    loadOf: (key: Key): number => loadOf(entries.get(key)),
    /**
     * Takes a slot if the key can have one: a free one, or one of the reserve if the key has nothing under way. Work
     * under way cannot be preempted and may be slow; the reserve serves keys that would wait for it.
     */
    take(key: Key): boolean {
      const known = entries.get(key)
      if (!hasSlotFor(known)) return false
      const entry = known ?? entryOf(key)
      underWay++
      entry.underWay++
      heavier(loadOf(entry))
      if (entry.waiters) settle(entry)
      return true
    },
    /** Queues for a slot; `within` takes turns among the waiters of the key. */
    wait(key: Key, within: Key, waiter: Waiter): void {
      const entry = entryOf(key)
      entry.waiters ??= createTurns()
      // Queues behind the keys that wait already; an earlier turn does not count.
      if (entry.waiters.size === 0) entry.servedAt = ++served
      entry.waiters.push(within, waiter)
      waiting++
      heavier(loadOf(entry))
      settle(entry)
    },
    /** Returns a slot. Returns the waiter that takes it over, if there is one. */
    leave(key: Key): Waiter | undefined {
      const entry = entries.get(key)
      if (!entry || entry.underWay === 0) throw new Error(`${key} has no slot to leave`)
      underWay--
      entry.underWay--
      lighter(loadOf(entry))
      settle(entry)
      return next()
    },
    /** Changes the number of slots. Returns the waiters that get one. */
    resize(size: Size): Waiter[] {
      ;({ limit, reserve } = size)
      const admitted: Waiter[] = []
      for (let waiter = next(); waiter !== undefined; waiter = next()) admitted.push(waiter)
      return admitted
    },
    /** Removes the newest waiter of the key with the most, if that has more than `key` would have with one more. */
    displace(key: Key): Waiter | undefined {
      let most: Entry<Waiter> | undefined
      for (const entry of heap.entries) if (!most || loadOf(entry) > loadOf(most)) most = entry
      if (!most?.waiters || loadOf(most) <= loadOf(entries.get(key)) + 1) return undefined
      const waiter = most.waiters.pop()
      waiting--
      lighter(loadOf(most))
      settle(most)
      return waiter
    },
    remove(matches: (waiter: Waiter) => boolean): Waiter[] {
      const removed = [...heap.entries].flatMap((entry) => {
        const out = entry.waiters?.remove(matches) ?? []
        for (let count = out.length; count > 0; count--) lighter(loadOf(entry) + count - 1)
        settle(entry)
        return out
      })
      waiting -= removed.length
      return removed
    },
  }
}
