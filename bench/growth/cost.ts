import type { MakeRequest, RunTarget } from '../adapter.ts'
import { timeInDatabase } from '../database-time.ts'
import { quantile } from '../histogram.ts'
import { createRandom } from '../load/random.ts'
import { fire } from '../load/volley.ts'
import { shotOf } from '../load/wire.ts'
import { median } from '../measure.ts'
import type { Postgres } from '../postgres.ts'

/** Milliseconds of one call at a time: in PostgreSQL, and for the caller. */
export type Cost = { database: number; call: number }

export type CostContext = {
  postgres: Postgres
  database: string
  about: RunTarget
  rounds: number
  /** The time of a round, and of the calls before the first round. */
  milliseconds: number
  warmMilliseconds: number
}

/** Returns the median of several rounds. The database time of a round is a mean without the call log. */
export async function costOf(
  { postgres, database, about, rounds, milliseconds, warmMilliseconds }: CostContext,
  make: MakeRequest,
): Promise<Cost> {
  const { hostname, port, host } = new URL(about.url)
  const target = { host: hostname, port: Number(port), connections: 1 }
  // Every size and round has a sample of its own, which is the same in every run.
  const volley = (seed: number, duration = milliseconds) => {
    const random = createRandom(seed)
    return fire({ ...target, milliseconds: duration }, () => shotOf(make(seed, random), host))
  }
  await volley(0, warmMilliseconds)
  const costs: Cost[] = []
  for (let round = 1; round <= rounds; round++) {
    let call = 0
    let answers = 1
    const spent = await timeInDatabase(
      postgres,
      database,
      async () => {
        const fired = await volley(round)
        call = quantile(fired.latency, 0.5)
        answers = fired.answers
      },
      { exceptMetering: true },
    )
    costs.push({ database: spent.milliseconds / answers, call })
  }
  return { database: median(costs.map((cost) => cost.database)), call: median(costs.map((cost) => cost.call)) }
}
