import { setTimeout as after } from 'node:timers/promises'
import { formatViolations, type Violation } from './check.ts'
import { pickOf } from './draw.ts'
import { countMet, type FaultContext, faults } from './faults.ts'
import { type CompanyHistory, type History, hasSucceeded } from './history.ts'
import { hasNoResult } from './operations.ts'

/** One kill under load. */
export type Kill = {
  fault: string
  /** Calls that were under way. */
  calls: number
  /** The longest time in milliseconds between it and the next in which no call was answered with success. */
  waitMs: number
}

/** A kill and its moment on the clock of the history. */
export type KillMoment = Omit<Kill, 'waitMs'> & { at: number }

const kinds = faults.filter(({ isKill }) => isKill)

/** Calls that are answered with success before the next kill, so that it meets a service at work. */
const answeredBetween = 20
/** Milliseconds after which the next kill does not wait for that any more. */
const patienceMs = 60_000

/** Kills one of the processes that callers stand on, and waits until they are answered again. Null if there was none. */
export async function killOne(context: FaultContext, isOver: () => boolean): Promise<KillMoment | null> {
  const { service, recorder, draw, met } = context
  const { name: fault, make } = pickOf(kinds, draw) as (typeof kinds)[number]
  let moment: Omit<KillMoment, 'fault'> | null = null
  const calls = await recorder.during(() =>
    make(service, draw, () => {
      moment = { at: performance.now(), calls: recorder.underWay() }
    }),
  )
  if (moment === null) return null
  countMet(met, fault, calls)
  let isAnswered = false
  void recorder.untilDone(answeredBetween).then(() => {
    isAnswered = true
  })
  const until = performance.now() + patienceMs
  while (!isAnswered && !isOver() && performance.now() < until) await after(10)
  return { fault, ...(moment as Omit<KillMoment, 'fault'>) }
}

/** Returns the kills with how long callers waited after each. */
export function measureKills(kills: readonly KillMoment[], { companies }: History): Kill[] {
  const done = companies.flatMap(({ calls }) =>
    calls.flatMap((call) => (hasSucceeded(call) ? (call.end as number) : [])),
  )
  const ends = done.toSorted((one, other) => one - other)
  let place = 0
  return kills.map(({ at, ...kill }, number) => {
    const next = kills[number + 1]?.at ?? Number.POSITIVE_INFINITY
    while ((ends[place] ?? Number.POSITIVE_INFINITY) <= at) place++
    let waitMs = 0
    let last = at
    for (let end = ends[place]; end !== undefined && end <= next; end = ends[++place]) {
      waitMs = Math.max(waitMs, end - last)
      last = end
    }
    // Nothing has to be answered after the last kill for longer than until the end of the run.
    return { ...kill, waitMs: Math.round(next === Number.POSITIVE_INFINITY ? waitMs : Math.max(waitMs, next - last)) }
  })
}

/** Says what kills found, and whether all was as promised. */
export function judgeKills({ kills, calls, seconds, longestUnsettledMs, violations }: KillsRun): {
  lines: string[]
  isWhole: boolean
} {
  const waits = kills.map(({ waitMs }) => waitMs)
  const lines = kinds.map(({ name }) => {
    const own = kills.filter(({ fault }) => fault === name)
    return `${name}: ${own.length} times, longest wait after one ${Math.max(0, ...own.map(({ waitMs }) => waitMs))} ms`
  })
  return {
    lines: [
      ...formatViolations(violations),
      ...lines,
      `Longest wait after a kill ${Math.max(0, ...waits)} ms; the longest that a key went unsettled, which more than one kill may have met, ${Math.max(0, ...longestUnsettledMs)} ms.`,
      `${kills.length} kills and ${calls} calls in ${seconds} s, ${violations.length} promises broken.`,
    ],
    isWhole: violations.length === 0,
  }
}

/** A table of the kills by what was killed. */
export function tableOfKills(kills: readonly Kill[]): string[] {
  return [
    '| killed | times | calls under way, on average | longest wait, ms |',
    '|---|---|---|---|',
    ...kinds.map(({ name }) => {
      const own = kills.filter(({ fault }) => fault === name)
      const calls = own.reduce((sum, kill) => sum + kill.calls, 0) / Math.max(1, own.length)
      return `| ${name} | ${own.length} | ${calls.toFixed(1)} | ${Math.max(0, ...own.map(({ waitMs }) => waitMs))} |`
    }),
  ]
}

type KillsRun = {
  kills: readonly Kill[]
  calls: number
  seconds: number
  longestUnsettledMs: readonly number[]
  violations: readonly Violation[]
}

/** Returns the longest time in milliseconds from the first call under a key to the first answer that settled it. */
export const longestUnsettled = ({ companies }: History): number => Math.round(Math.max(0, ...companies.map(longestOf)))

function longestOf({ calls }: CompanyHistory): number {
  const begun = new Map<string, number>()
  const settled = new Map<string, number>()
  for (const call of calls) {
    const { key, start, end } = call
    if (key === null) continue
    begun.set(key, Math.min(begun.get(key) ?? start, start))
    if (!hasNoResult(call) && end !== null) settled.set(key, Math.min(settled.get(key) ?? end, end))
  }
  let longest = 0
  for (const [key, end] of settled) longest = Math.max(longest, end - (begun.get(key) as number))
  return longest
}
