import type { Cursor, Position } from '#sql/system/log.ts'
import type { SettledRow } from '#sql/system/webhook-claims.ts'

/**
 * The progress of an endpoint along the log. The functions here compute it without a clock or a database.
 * All events up to `cursor` have arrived. `pending` has the later events that were tried: those that arrived out of
 * order, and those that failed, with the number of tries and the time of the next one.
 * No attempt starts before `paused_until`. The next turn is at `next_attempt_at`, or at the next event if it is null.
 * `failing_since` is the first failure since the last success.
 */
export type Progress = SettledRow
export type PendingEvents = SettledRow['pending']

/** The outcome of an attempt. `retryAfter` is the pause that the answer asked for, in milliseconds. */
export type Outcome = { arrived: boolean; retryAfter?: number | undefined }

type FinishedAttempt = { id: string; outcome: Outcome; now: Date; rules: Rules }

export type Rules = {
  ordered: boolean
  /** Seconds from each attempt to the next. The last one repeats for ever. */
  retrySeconds: readonly number[]
}

/** Events on one page, and the most pending events of an endpoint that takes them in any order. */
export const windowMax = 100
/** Milliseconds until new events are looked for after a failure, if the order of events is free. */
const readAgain = 5000

/** An event, its position, and whether it is sent to the endpoint. */
export type PositionedEvent = { id: string; cursor: Cursor; isWanted: boolean }

/** Moves the cursor past the events that have arrived without a gap, and past those that are not sent. */
export function passArrived(progress: Progress, events: readonly PositionedEvent[]): Progress {
  const behind = events.slice(events.findIndex(({ cursor }) => isSame(cursor, progress.cursor)) + 1)
  const end = behind.findIndex(({ id, isWanted }) => isWanted && progress.pending[id] !== 'arrived')
  const passed = end < 0 ? behind : behind.slice(0, end)
  const last = passed.at(-1)
  if (!last) return progress
  const ids = new Set(passed.map(({ id }) => id))
  const pending = Object.fromEntries(Object.entries(progress.pending).filter(([id]) => !ids.has(id)))
  return { ...progress, cursor: last.cursor, pending }
}

export function afterAttempt(progress: Progress, { id, outcome, now, rules }: FinishedAttempt): Progress {
  if (outcome.arrived) {
    const pending = { ...progress.pending, [id]: 'arrived' as const }
    return readsAgain({ ...progress, pending, failing_since: null }, now, rules)
  }
  const tries = triesOf(progress.pending[id]) + 1
  const due = new Date(now.getTime() + (outcome.retryAfter ?? 1000 * retryPause(tries, rules)))
  const paused_until = outcome.retryAfter === undefined ? progress.paused_until : due
  const pending = { ...progress.pending, [id]: { tries, due: due.toISOString() } }
  const failing_since = progress.failing_since ?? now
  return readsAgain({ ...progress, pending, paused_until, failing_since }, now, rules)
}

/** Returns whether an event may be tried now. */
export function isDue({ pending, paused_until }: Progress, id: string, now: Date): boolean {
  const state = pending[id]
  if (paused_until !== null && paused_until > now) return false
  return state === undefined || (state !== 'arrived' && new Date(state.due) <= now)
}

export const isSame = (one: Position, other: Position): boolean =>
  one.epoch === other.epoch && one.pos === other.pos && one.id === other.id

/** Sets `next_attempt_at` to the next retry, and at most `readAgain` away if new events need not wait for it. */
export function readsAgain(progress: Progress, now: Date, { ordered }: Rules): Progress {
  const dues = Object.values(progress.pending).flatMap((state) => (state === 'arrived' ? [] : [Date.parse(state.due)]))
  if (dues.length === 0) return { ...progress, next_attempt_at: null }
  const isFull = Object.keys(progress.pending).length >= windowMax
  const next = Math.min(...dues, ...(ordered || isFull ? [] : [now.getTime() + readAgain]))
  return { ...progress, next_attempt_at: new Date(next) }
}

const triesOf = (state: PendingEvents[string] | undefined): number =>
  state === undefined || state === 'arrived' ? 0 : state.tries

const retryPause = (tries: number, { retrySeconds }: Rules): number =>
  retrySeconds[Math.min(tries, retrySeconds.length) - 1] ?? 0
