import type { Share } from '../fair/shares.ts'
import { type Counts, createSlots, type Size } from '../fair/slots.ts'
import { createWatch } from '../fair/watch.ts'
import { waitFor } from '../wait/wait.ts'
import type { App } from './app.ts'

/**
 * The sort of a request. Each sort has slots of its own, since they wait for different things: a stuck sort leaves the
 * others theirs.
 * Documents wait only for the processor. Sign-ins wait for a password's hash, which takes longest; browsers with an
 * earlier sign-in do not queue behind strangers. Thousands of long polls may come back at once, after a network failure
 * or a change that wakes all of them. A few of them read the log at once; a waiting one holds no slot.
 */
export type RequestSort = (typeof sorts)[number]

const sorts = ['reads', 'writes', 'documents', 'sign-ins', 'known-sign-ins', 'polls'] as const

/** Documents are built one after the other, so more would only wait. */
const documentsMax = 64
/** Only a few passwords are hashed at once. */
const signInsMax = 32
/** Long polls that read the log at once. */
const pollsMax = 32

type Waiter = { until: number; answer(admitted: boolean): void }

type State = ReturnType<typeof initialState>

/**
 * Measurements of one sort between two adjustments, and whether most responses were late at the last one. `inTarget`
 * counts the responses within the target time.
 */
export type Sample = Omit<State, 'slots' | 'since'> & { most: number; inTarget: number }

/** Requests that are always admitted: a burst is no overload, and a distant database is slow. */
const minLimit = 128
/** Longest wait in the queue, in milliseconds. Requests near the front wait a fraction of it. */
const waitMax = 2000
/** An eighth of the slots: the reserve for callers with nothing under way, and the waiters that are always allowed. */
const part = 8
const minWaiting = 16
const [probes, recovers] = [1.1, 1.5]

const isLate = ({ answers, late }: Pick<Sample, 'answers' | 'late'>): boolean => late * 2 > answers

/**
 * Computes the next limit. While most responses are late, it is what fits into the target time (Little's law: the
 * number under way is the rate times the time of each). Then it grows step by step, because one sample may have met a
 * pause of the machine.
 */
export function nextLimit(sample: Sample): number {
  const { limit, most, wasLate, shed, inTarget } = sample
  if (!isLate(sample)) return Math.min(most, Math.ceil(limit * (shed > 0 ? probes : recovers)))
  return wasLate ? Math.min(limit, Math.max(Math.min(minLimit, most), Math.ceil(inTarget))) : limit
}

/** Returns the slots, with a reserve for callers who would otherwise wait for slow work of others. */
const sizeOf = (limit: number): Size => ({ limit, reserve: Math.ceil(limit / part) })

/**
 * True if a request may wait for room: few wait and another key has more than half of everything, or its key has less
 * than an equal share and another clearly more.
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

/**
 * Admits or refuses a request before any work for it. Arrivals do not slow down when responses do. A request that
 * could only wait too long is refused at once, so that admitted ones are answered in time. While there is no room,
 * callers with less under way than others wait briefly. Decisions, Overload.
 */
export function openLimiter(app: Pick<App, 'config' | 'clock' | 'metrics' | 'log'>) {
  const { clock, metrics, log } = app
  const { requestsMax, connectionsMax, answerTarget } = app.config
  const mostOf: { readonly [sort in RequestSort]: number } = {
    ...{ reads: requestsMax, writes: requestsMax },
    documents: Math.min(requestsMax, documentsMax),
    'sign-ins': Math.min(requestsMax, signInsMax),
    'known-sign-ins': Math.min(requestsMax, signInsMax),
    polls: Math.min(connectionsMax, pollsMax),
  }
  const states = Object.fromEntries(sorts.map((sort) => [sort, initialState(mostOf[sort], clock.elapsed())])) as {
    [sort in RequestSort]: State
  }
  for (const sort of sorts) metrics.admitting(sort, mostOf[sort])

  const adjust = (sort: RequestSort, state: State, now: number): void => {
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

  const shedOne = (sort: RequestSort): false => {
    states[sort].shed++
    metrics.shed(sort)
    return false
  }

  const wait = (sort: RequestSort, { key, within }: Share): Promise<boolean> =>
    waitFor('its queue', (resolve) => {
      const answer = (admitted: boolean) => resolve(admitted || shedOne(sort))
      states[sort].slots.wait(key, within, { until: clock.elapsed() + waitMax, answer })
      watch()
    })

  /** Refuses requests that have waited too long. */
  const watch = createWatch(waitMax / 10, () => {
    const now = clock.elapsed()
    const late = sorts.flatMap((sort) => states[sort].slots.remove(({ until }) => until <= now))
    for (const { answer } of late) answer(false)
    return sorts.some((sort) => states[sort].slots.counts.waiting > 0)
  })

  return {
    /** Returns whether the request is admitted, now or after its turn. An admitted one has to leave again. */
    enter(sort: RequestSort, share: Share): boolean | Promise<boolean> {
      const { slots, limit } = states[sort]
      if (slots.take(share.key)) return true
      // A look at the log is short, so many of thousands get their turn before the others are refused.
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
    /** Readmits a request that has waited outside. It may wait for its turn, however many others do. */
    enterAgain(sort: RequestSort, share: Share): boolean | Promise<boolean> {
      const { slots } = states[sort]
      if (slots.take(share.key)) return true
      if (sort !== 'polls') return wait(sort, share)
      return waitFor('the places before it', (answer) =>
        slots.wait(share.key, share.within, { until: Number.POSITIVE_INFINITY, answer }),
      )
    },
    /** `enteredAt` is in milliseconds of the app's clock. */
    leave(sort: RequestSort, { key }: Share, enteredAt: number): void {
      const state = states[sort]
      const now = clock.elapsed()
      state.slots.leave(key)?.answer(true)
      state.answers++
      if (now - enteredAt > answerTarget) state.late++
      if (now - state.since >= answerTarget) adjust(sort, state, now)
    },
  }
}

const initialState = (limit: number, since: number) => ({
  ...{ limit, slots: createSlots<Waiter>(sizeOf(limit)), answers: 0, late: 0, shed: 0, wasLate: false, since },
})
