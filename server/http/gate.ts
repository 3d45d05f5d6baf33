import type { World } from '../world.ts'

/**
 * Reads and writes wait for different things, so that one sort that is stuck leaves the other its places. Documents wait
 * for nothing but the processor.
 */
export type Sort = (typeof sorts)[number]

const sorts = ['reads', 'writes', 'documents'] as const

/** They are made one after the other, so more would only wait. */
const documentsMax = 64

/**
 * Decides whether a request is let in, before anything is done for it. Arrivals do not slow down because answers do;
 * what could only wait too long is turned away at once, so that what is let in is answered in time. Decisions, Overload.
 */
export type Gate = {
  /** Whether there is room; whoever is let in leaves again. */
  enter(sort: Sort): boolean
  /** `enteredAt` by the clock of the world. */
  leave(sort: Sort, enteredAt: number): void
}

type Room = {
  limit: number
  underWay: number
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

export function openGate({ config, clock, metrics, log }: Pick<World, 'config' | 'clock' | 'metrics' | 'log'>): Gate {
  const { requestsMax, answerTarget } = config
  const mostOf = { reads: requestsMax, writes: requestsMax, documents: Math.min(requestsMax, documentsMax) }
  const room = (limit: number): Room => emptyRoom(limit, clock.elapsed())
  const rooms = { reads: room(mostOf.reads), writes: room(mostOf.writes), documents: room(mostOf.documents) }
  for (const sort of sorts) metrics.letIn(sort, mostOf[sort])

  const look = (sort: Sort, room: Room, now: number): void => {
    const { turnedAway, underWay, answers, since } = room
    room.limit = nextLimit({ ...room, most: mostOf[sort], inTarget: (answers * answerTarget) / (now - since) })
    Object.assign(room, { wasLate: isLate(room), answers: 0, late: 0, turnedAway: 0, since: now })
    metrics.letIn(sort, room.limit)
    if (turnedAway > 0)
      log.warn({ sort, turned_away: turnedAway, under_way: underWay, limit: room.limit }, 'overloaded')
  }

  return {
    enter(sort) {
      const room = rooms[sort]
      if (room.underWay < room.limit) {
        room.underWay++
        return true
      }
      room.turnedAway++
      metrics.turnedAway(sort)
      return false
    },
    leave(sort, enteredAt) {
      const room = rooms[sort]
      const now = clock.elapsed()
      room.underWay--
      room.answers++
      if (now - enteredAt > answerTarget) room.late++
      if (now - room.since >= answerTarget) look(sort, room, now)
    },
  }
}

const emptyRoom = (limit: number, since: number): Room => ({
  ...{ limit, underWay: 0, answers: 0, late: 0, turnedAway: 0, wasLate: false, since },
})
