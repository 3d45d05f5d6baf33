import { type Counts, makePlaces, type Places, type Size } from '../fair/places.ts'
import type { Share } from '../fair/shares.ts'
import { makeWatch } from '../fair/watch.ts'
import type { World } from './world.ts'

/**
 * Reads and writes wait for different things, so that one sort that is stuck leaves the other its places. Documents wait
 * for nothing but the processor, sign-ins for a password's hash, which takes longer than anything else; those of browsers that
 * show that they have signed in before do not queue behind strangers. Those who were let in and waited for something
 * look `again`: one change may wake all who wait, and no more of them go on at once than there are connections.
 */
export type Sort = (typeof sorts)[number]

const sorts = ['reads', 'writes', 'documents', 'sign-ins', 'known-sign-ins', 'again'] as const

/** They are made one after the other, so more would only wait. */
const documentsMax = 64
/** A few are hashed at once. */
const signInsMax = 32

/**
 * Decides whether a request is let in, before anything is done for it. Arrivals do not slow down because answers do;
 * what could only wait too long is turned away at once, so that what is let in is answered in time. While there is no
 * room, callers who have less under way than others wait a moment for their turn. Decisions, Overload.
 */
export type Gate = {
  /** Whether the request is let in, now or after its turn; whoever is let in leaves again. */
  enter(sort: Sort, share: Share): boolean | Promise<boolean>
  /** For one that was let in before and has waited outside: it has its turn, however many others do. */
  enterAgain(share: Share): boolean | Promise<boolean>
  /** `enteredAt` by the clock of the world. */
  leave(sort: Sort, share: Share, enteredAt: number): void
}

type Waiter = { until: number; answer(letIn: boolean): void }

type Room = {
  limit: number
  places: Places<Waiter>
  answers: number
  late: number
  turnedAway: number
  wasLate: boolean
  since: number
}

/**
 * What was seen of one sort between two looks at it, and whether most answers were late at the last one. `inTarget` are
 * as many as were answered in the time of the target.
 */
export type Seen = {
  limit: number
  most: number
  answers: number
  late: number
  wasLate: boolean
  turnedAway: number
  inTarget: number
}

/** So many are always let in, however long answers take: a burst is no overload, and a distant database takes its time. */
const leastLet = 128
/** Milliseconds that a request waits for its turn at most; whose turn is near waits a fraction of it. */
const waitMax = 2000
/** An eighth of the places: so many come on top for those with nothing under way, and so many may wait in any case. */
const part = 8
const leastWaiting = 16
const [probes, recovers] = [1.1, 1.5]

const isLate = ({ answers, late }: Pick<Seen, 'answers' | 'late'>): boolean => late * 2 > answers

/**
 * How many are let in from here on. While most answers are late, as many as can be answered within the target (Little's
 * law: the number under way is the rate times the time each takes); then step by step more. One look may have met no
 * more than a pause of the machine.
 */
export function nextLimit(seen: Seen): number {
  const { limit, most, wasLate, turnedAway, inTarget } = seen
  if (!isLate(seen)) return Math.min(most, Math.ceil(limit * (turnedAway > 0 ? probes : recovers)))
  return wasLate ? Math.min(limit, Math.max(Math.min(leastLet, most), Math.ceil(inTarget))) : limit
}

/** Places for so many, and some for whoever would otherwise wait for the slow work of others. */
const sizeOf = (limit: number): Size => ({ limit, reserve: Math.ceil(limit / part) })

/**
 * Whether a request may wait when there is no room: where somebody else has more than half of everything, if few wait;
 * and wherever its key has less than an equal share while another has clearly more than that.
 */
export function mayWait(
  { waiting, underWay, keys, heaviest }: Counts,
  load: number,
  limit: number,
): 'yes' | 'no' | 'ahead' {
  const share = limit / (load === 0 ? keys + 1 : keys)
  if (load + 1 <= share && heaviest > share + leastWaiting) return waiting < limit ? 'yes' : 'ahead'
  return 2 * load < underWay + waiting && waiting < Math.max(leastWaiting, limit / part) ? 'yes' : 'no'
}

export function openGate({ config, clock, metrics, log }: Pick<World, 'config' | 'clock' | 'metrics' | 'log'>): Gate {
  const { requestsMax, connectionsMax, answerTarget } = config
  const mostOf: { readonly [sort in Sort]: number } = {
    ...{ reads: requestsMax, writes: requestsMax },
    documents: Math.min(requestsMax, documentsMax),
    'sign-ins': Math.min(requestsMax, signInsMax),
    'known-sign-ins': Math.min(requestsMax, signInsMax),
    again: connectionsMax,
  }
  const room = (limit: number): Room => emptyRoom(limit, clock.elapsed())
  const rooms = Object.fromEntries(sorts.map((sort) => [sort, room(mostOf[sort])])) as { [sort in Sort]: Room }
  for (const sort of sorts) metrics.letIn(sort, mostOf[sort])

  const look = (sort: Sort, room: Room, now: number): void => {
    const { turnedAway, places, answers, since } = room
    room.limit = nextLimit({ ...room, most: mostOf[sort], inTarget: (answers * answerTarget) / (now - since) })
    Object.assign(room, { wasLate: isLate(room), answers: 0, late: 0, turnedAway: 0, since: now })
    metrics.letIn(sort, room.limit)
    for (const waiter of places.resize(sizeOf(room.limit))) waiter.answer(true)
    if (turnedAway > 0) {
      const { underWay, waiting, keys } = places.counts
      log.warn(
        { sort, turned_away: turnedAway, under_way: underWay, waiting, callers: keys, limit: room.limit },
        'overloaded',
      )
    }
  }

  const turnAway = (sort: Sort): false => {
    rooms[sort].turnedAway++
    metrics.turnedAway(sort)
    return false
  }

  const wait = (sort: Sort, { key, within }: Share): Promise<boolean> =>
    new Promise((resolve) => {
      const answer = (letIn: boolean) => resolve(letIn || turnAway(sort))
      rooms[sort].places.wait(key, within, { until: clock.elapsed() + waitMax, answer })
      watch()
    })

  /** Ends waiting that took too long. */
  const watch = makeWatch(waitMax / 10, () => {
    const now = clock.elapsed()
    const late = sorts.flatMap((sort) => rooms[sort].places.remove(({ until }) => until <= now))
    for (const { answer } of late) answer(false)
    return sorts.some((sort) => rooms[sort].places.counts.waiting > 0)
  })

  return {
    enter(sort, share) {
      const { places, limit } = rooms[sort]
      if (places.take(share.key)) return true
      const may = mayWait(places.counts, places.loadOf(share.key), limit)
      if (may === 'no') return turnAway(sort)
      if (may === 'ahead') {
        const displaced = places.displace(share.key)
        if (!displaced) return turnAway(sort)
        displaced.answer(false)
      }
      return wait(sort, share)
    },
    enterAgain({ key, within }) {
      const { places } = rooms.again
      if (places.take(key)) return true
      return new Promise((answer) => places.wait(key, within, { until: Number.POSITIVE_INFINITY, answer }))
    },
    leave(sort, { key }, enteredAt) {
      const room = rooms[sort]
      const now = clock.elapsed()
      room.places.leave(key)?.answer(true)
      room.answers++
      if (now - enteredAt > answerTarget) room.late++
      if (now - room.since >= answerTarget) look(sort, room, now)
    },
  }
}

const emptyRoom = (limit: number, since: number): Room => ({
  ...{ limit, places: makePlaces<Waiter>(sizeOf(limit)), answers: 0, late: 0, turnedAway: 0, wasLate: false, since },
})
