import type { Share } from '../fair/shares.ts'
import { type Counts, makeSlots, type Size, type Slots } from '../fair/slots.ts'
import { makeWatch } from '../fair/watch.ts'
import type { App } from './app.ts'

/**
 * Reads and writes wait for different things, so that one sort that is stuck leaves the other its slots. Documents wait
 * for nothing but the processor, sign-ins for a password's hash, which takes longer than anything else; those of browsers that
 * show that they have signed in before do not queue behind strangers. Long polls have a sort of their own: thousands may come
 * back at once, after a lost network or a change that wakes all of them. A few look for a change at once; one that
 * waits for a change holds no slot.
 */
export type Sort = (typeof sorts)[number]

const sorts = ['reads', 'writes', 'documents', 'sign-ins', 'known-sign-ins', 'polls'] as const

/** They are made one after the other, so more would only wait. */
const documentsMax = 64
/** A few are hashed at once. */
const signInsMax = 32
/** Long polls that look for a change at once. */
const pollsMax = 32

/**
 * Decides whether a request is let in, before anything is done for it. Arrivals do not slow down because answers do;
 * what could only wait too long is shed at once, so that what is let in is answered in time. While there is no
 * room, callers who have less under way than others wait a moment for their turn. Decisions, Overload.
 */
export type Limiter = {
  /** Whether the request is let in, now or after its turn; one that is let in has to leave again. */
  enter(sort: Sort, share: Share): boolean | Promise<boolean>
  /** For one that was let in before and has waited outside: it may wait for its turn, however many others do. */
  enterAgain(sort: Sort, share: Share): boolean | Promise<boolean>
  /** `enteredAt` by the app's clock. */
  leave(sort: Sort, share: Share, enteredAt: number): void
}

type Waiter = { until: number; answer(admitted: boolean): void }

type State = {
  limit: number
  slots: Slots<Waiter>
  answers: number
  late: number
  shed: number
  wasLate: boolean
  since: number
}

/**
 * What was seen of one sort between two adjustments, and whether most answers were late at the last one. `inTarget` are
 * as many as were answered in the time of the target.
 */
export type Sample = Omit<State, 'slots' | 'since'> & { most: number; inTarget: number }

/** So many are always let in, however long answers take: a burst is no overload, and a distant database takes its time. */
const minLimit = 128
/** Milliseconds that a request waits for its turn at most; whose turn is near waits a fraction of it. */
const waitMax = 2000
/** An eighth of the slots: so many come on top for those with nothing under way, and so many may wait in any case. */
const part = 8
const minWaiting = 16
const [probes, recovers] = [1.1, 1.5]

const isLate = ({ answers, late }: Pick<Sample, 'answers' | 'late'>): boolean => late * 2 > answers

/**
 * How many are let in from here on. While most answers are late, as many as can be answered within the target (Little's
 * law: the number under way is the rate times the time each takes); then step by step more. One sample may have met no
 * more than a pause of the machine.
 */
export function nextLimit(sample: Sample): number {
  const { limit, most, wasLate, shed, inTarget } = sample
  if (!isLate(sample)) return Math.min(most, Math.ceil(limit * (shed > 0 ? probes : recovers)))
  return wasLate ? Math.min(limit, Math.max(Math.min(minLimit, most), Math.ceil(inTarget))) : limit
}

/** Slots for so many, and some for callers who would otherwise wait for the slow work of others. */
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
  if (load + 1 <= share && heaviest > share + minWaiting) return waiting < limit ? 'yes' : 'ahead'
  return 2 * load < underWay + waiting && waiting < Math.max(minWaiting, limit / part) ? 'yes' : 'no'
}

export function openLimiter(app: Pick<App, 'config' | 'clock' | 'metrics' | 'log'>): Limiter {
  const { clock, metrics, log } = app
  const { requestsMax, connectionsMax, answerTarget } = app.config
  const mostOf: { readonly [sort in Sort]: number } = {
    ...{ reads: requestsMax, writes: requestsMax },
    documents: Math.min(requestsMax, documentsMax),
    'sign-ins': Math.min(requestsMax, signInsMax),
    'known-sign-ins': Math.min(requestsMax, signInsMax),
    polls: Math.min(connectionsMax, pollsMax),
  }
  const state = (limit: number): State => initialState(limit, clock.elapsed())
  const states = Object.fromEntries(sorts.map((sort) => [sort, state(mostOf[sort])])) as { [sort in Sort]: State }
  for (const sort of sorts) metrics.admitting(sort, mostOf[sort])

  const adjust = (sort: Sort, state: State, now: number): void => {
    const { shed, slots, answers, since } = state
    state.limit = nextLimit({ ...state, most: mostOf[sort], inTarget: (answers * answerTarget) / (now - since) })
    Object.assign(state, { wasLate: isLate(state), answers: 0, late: 0, shed: 0, since: now })
    metrics.admitting(sort, state.limit)
    for (const waiter of slots.resize(sizeOf(state.limit))) waiter.answer(true)
    if (shed > 0) {
      const { underWay, waiting, keys } = slots.counts
      log.warn(
        { sort, turned_away: shed, under_way: underWay, waiting, callers: keys, limit: state.limit },
        'overloaded',
      )
    }
  }

  const shedOne = (sort: Sort): false => {
    states[sort].shed++
    metrics.shed(sort)
    return false
  }

  const wait = (sort: Sort, { key, within }: Share): Promise<boolean> =>
    new Promise((resolve) => {
      const answer = (admitted: boolean) => resolve(admitted || shedOne(sort))
      states[sort].slots.wait(key, within, { until: clock.elapsed() + waitMax, answer })
      watch()
    })

  /** Ends waiting that took too long. */
  const watch = makeWatch(waitMax / 10, () => {
    const now = clock.elapsed()
    const late = sorts.flatMap((sort) => states[sort].slots.remove(({ until }) => until <= now))
    for (const { answer } of late) answer(false)
    return sorts.some((sort) => states[sort].slots.counts.waiting > 0)
  })

  return {
    enter(sort, share) {
      const { slots, limit } = states[sort]
      if (slots.take(share.key)) return true
      // A look is short, so of thousands many have their turn before the others are refused.
      if (sort === 'polls') return wait(sort, share)
      const may = mayWait(slots.counts, slots.loadOf(share.key), limit)
      if (may === 'no') return shedOne(sort)
      if (may === 'ahead') {
        const displaced = slots.displace(share.key)
        if (!displaced) return shedOne(sort)
        displaced.answer(false)
      }
      return wait(sort, share)
    },
    enterAgain(sort, share) {
      const { slots } = states[sort]
      if (slots.take(share.key)) return true
      if (sort !== 'polls') return wait(sort, share)
      return new Promise((answer) => slots.wait(share.key, share.within, { until: Number.POSITIVE_INFINITY, answer }))
    },
    leave(sort, { key }, enteredAt) {
      const state = states[sort]
      const now = clock.elapsed()
      state.slots.leave(key)?.answer(true)
      state.answers++
      if (now - enteredAt > answerTarget) state.late++
      if (now - state.since >= answerTarget) adjust(sort, state, now)
    },
  }
}

const initialState = (limit: number, since: number): State => ({
  ...{ limit, slots: makeSlots<Waiter>(sizeOf(limit)), answers: 0, late: 0, shed: 0, wasLate: false, since },
})
