import type { RunTarget } from '../adapter.ts'
import type { Outcome } from '../load/main.ts'
import type { Generator, Server } from '../processes.ts'
import type { Layout } from '../scenario/layout.ts'
import type { WorkName } from '../works.ts'
import { flushMilliseconds, type Statistics } from './statistics.ts'
import type { FreshWork, WorkResult } from './works.ts'

/** A service on one database, with its callers. */
export type FreshService = {
  generator: Generator
  server: Server
  tokens: readonly string[]
  statistics: Statistics
  connections: number
  /** Returns another number for every run. */
  numbers: () => number
}

const adapterFile = new URL('adapter.ts', import.meta.url).pathname

export function run(asked: FreshService, layout: Layout, work: WorkName, milliseconds: number): Promise<Outcome> {
  const about: RunTarget = { layout, tokens: asked.tokens, url: asked.server.url }
  const { connections } = asked
  return asked.generator.run({ work, adapter: adapterFile, about, connections, milliseconds, number: asked.numbers() })
}

/** Sends one call over each connection, so that all earlier counts become visible. Returns the number of calls. */
export async function settle(asked: FreshService, layout: Layout, work: FreshWork): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, flushMilliseconds))
  return (await run(asked, layout, work, 0)).answers
}

/**
 * Measures the rate of one work, and the rows that a call reads. Earlier counts have to be settled. At the beginning
 * and at the end, at most one call for each connection remains uncounted.
 */
export async function measureCalls(
  asked: FreshService,
  layout: Layout,
  work: FreshWork,
  milliseconds: number,
): Promise<WorkResult & { answers: number }> {
  const before = await asked.statistics.counts()
  const outcome = await run(asked, layout, work, milliseconds)
  const answers = outcome.answers + (await settle(asked, layout, work))
  const after = await asked.statistics.counts()
  return {
    work,
    answers,
    perSecond: outcome.perSecond,
    p50: outcome.p50,
    p99: outcome.p99,
    entries: (after.entries - before.entries) / answers,
    rows: (after.rows - before.rows) / answers,
  }
}
