import type { RunTarget } from '../adapter.ts'
import { quantile } from '../histogram.ts'
import type { WorkName } from '../works.ts'
import type { Phase } from './arrivals.ts'
import { pour } from './pour.ts'
import { createRandom } from './random.ts'
import { requestsOf } from './requests.ts'
import type { PhaseResult } from './tally.ts'
import { fire } from './volley.ts'

/**
 * The process that makes the load. It is told by its parent what to do, one run at a time, and says what came of it;
 * it ends when its parent does.
 */

export type Run = {
  work: WorkName | 'mix'
  /** The file of the adapter. */
  adapter: string
  about: RunTarget
  connections: number
  milliseconds: number
  /** Another one for every run, so that what must be new is. */
  number: number
}

export type Outcome = { perSecond: number; p50: number; p99: number; most: number; answers: number; cpuSeconds: number }

/** Arrivals at their own pace. Phases follow each other without a pause; `connections` and `milliseconds` mean nothing. */
export type OpenRun = Run & { phases: readonly Phase[] }

export type OpenOutcome = { phases: PhaseResult[]; connections: number; cpuSeconds: number }

process.on('message', (run: Run | OpenRun) => {
  const work: Promise<Outcome | OpenOutcome> = 'phases' in run ? runOpenLoop(run) : runClosedLoop(run)
  work.then(
    (outcome) => process.send?.({ outcome }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
// Ctrl-C reaches every process of a terminal; this one is ended by its parent.
process.on('SIGINT', () => {})

/** As much as the server answers, over so many connections. */
async function runClosedLoop(run: Run): Promise<Outcome> {
  const { connections, milliseconds } = run
  const next = await requestsOf(run)
  const cpuBefore = process.cpuUsage()
  const { answers, milliseconds: taken, latency } = await fire({ ...placeOf(run), connections, milliseconds }, next)
  return {
    perSecond: (answers * 1000) / taken,
    p50: quantile(latency, 0.5),
    p99: quantile(latency, 0.99),
    most: latency.most,
    answers,
    cpuSeconds: cpuSecondsSince(cpuBefore),
  }
}

/** As much as is asked, whatever the server does. */
async function runOpenLoop(run: OpenRun): Promise<OpenOutcome> {
  const next = await requestsOf(run)
  const cpuBefore = process.cpuUsage()
  const { phases, connections } = await pour(placeOf(run), run.phases, next, createRandom(run.number + 1))
  return { phases, connections, cpuSeconds: cpuSecondsSince(cpuBefore) }
}

function placeOf({ about }: Run): { host: string; port: number } {
  const { hostname, port } = new URL(about.url)
  return { host: hostname, port: Number(port || 80) }
}

function cpuSecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
