import { setTimeout as after } from 'node:timers/promises'
import { type FaultContext, faults, pickOf } from './faults.ts'
import { type CompanyHistory, type History, hasSucceeded } from './history.ts'

/** One kill under load. */
export type Kill = {
  fault: string
  /** Calls that were under way. */
  calls: number
  /** Milliseconds until a call that was sent after it was answered with success; null if none was until the end. */
  waitMs: number | null
}

/** A kill and its moment on the clock of the history. */
export type KillMoment = Omit<Kill, 'waitMs'> & { at: number }

const kinds = faults.filter(({ isKill }) => isKill)

/** Calls that are answered with success before the next kill, so that it meets a service at work. */
const answeredBetween = 20
/** Milliseconds after which the next kill does not wait for that any more. */
const patienceMs = 60_000

/** Kills one of the processes that callers stand on, and waits until they are answered again. */
export async function makeKill(context: FaultContext, isOver: () => boolean): Promise<KillMoment> {
  const { service, recorder, draw, met } = context
  const { name: fault, make } = pickOf(kinds, draw) as (typeof kinds)[number]
  const at = performance.now()
  const calls = await recorder.during(() => make(service, draw))
  const counts = met.get(fault) ?? new Map<string, number>()
  met.set(fault, counts)
  for (const { operation } of calls) counts.set(operation, (counts.get(operation) ?? 0) + 1)
  let isAnswered = false
  void recorder.untilDone(answeredBetween).then(() => {
    isAnswered = true
  })
  const until = performance.now() + patienceMs
  while (!isAnswered && !isOver() && performance.now() < until) await after(10)
  return { fault, calls: calls.size, at }
}

/** Returns the kills with how long callers waited after each for the first success. */
export function measureKills(kills: readonly KillMoment[], { companies }: History): Kill[] {
  const done = companies
    .flatMap(({ calls }) => calls.filter(hasSucceeded))
    .toSorted((one, other) => one.start - other.start)
  let from = 0
  return kills.map(({ at, ...kill }) => {
    while ((done[from]?.start ?? Number.POSITIVE_INFINITY) < at) from++
    let first = Number.POSITIVE_INFINITY
    for (let place = from; (done[place]?.start ?? Number.POSITIVE_INFINITY) < first; place++)
      first = Math.min(first, done[place]?.end as number)
    return { ...kill, waitMs: first === Number.POSITIVE_INFINITY ? null : Math.round(first - at) }
  })
}

/** Returns the longest time in milliseconds from the first call under a key to the first answer that settled it. */
export const longestUnsettled = ({ companies }: History): number => Math.round(Math.max(0, ...companies.map(longestOf)))

function longestOf({ calls }: CompanyHistory): number {
  const begun = new Map<string, number>()
  const settled = new Map<string, number>()
  for (const { key, start, end, status } of calls) {
    if (key === null) continue
    begun.set(key, Math.min(begun.get(key) ?? start, start))
    if (status !== null && status < 500 && status !== 401 && status !== 429 && end !== null)
      settled.set(key, Math.min(settled.get(key) ?? end, end))
  }
  let longest = 0
  for (const [key, end] of settled) longest = Math.max(longest, end - (begun.get(key) as number))
  return longest
}
