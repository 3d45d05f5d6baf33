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
 * The process that generates the load. It gets one run at a time from its parent, and sends back the outcome. It ends
 * when its parent ends.
 */

export type Run = {
  work: WorkName | 'mix'
  /** The file of the adapter. */
  adapter: string
  about: RunTarget
  connections: number
  milliseconds: number
  /** A different number for every run, so that created records are new. */
  number: number
}

export type Outcome = { perSecond: number; p50: number; p99: number; most: number; answers: number; cpuSeconds: number }

/** A run with arrivals at their own pace, in phases without a pause. `connections` and `milliseconds` are not used. */
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
// Ctrl-C reaches every process of a terminal, but the parent ends this one.
process.on('SIGINT', () => {})

/** Sends as many requests as the server answers, over a fixed number of connections. */
async function runClosedLoop(run: Run): Promise<Outcome> {
  const { connections, milliseconds } = run
  const next = await requestsOf(run)
  const cpuBefore = process.cpuUsage()
  const { answers, milliseconds: taken, latency } = await fire({ ...placeOf(run), connections, milliseconds }, next)
  return {
    perSecond: (answers * 1000) / taken,
    p50: quantile(latency, 0.5),
    p99: quantile(latency, 0.99),
    most: quantile(latency, 1),
    answers,
    cpuSeconds: cpuSecondsSince(cpuBefore),
  }
}

/** Sends requests at the wanted rate, independent of the answers. */
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
