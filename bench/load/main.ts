import type { About, Adapter } from '../adapter.ts'
import { quantile } from '../histogram.ts'
import { type WorkName, works } from '../works.ts'
import { makeRandom } from './random.ts'
import { fire, type Shot } from './volley.ts'
import { asBytes, shotOf } from './wire.ts'

/**
 * The process that makes the load. It is told by its parent what to do, one run at a time, and says what came of it;
 * it ends when its parent does.
 */

export type Run = {
  work: WorkName
  /** The file of the adapter. */
  adapter: string
  about: About
  connections: number
  milliseconds: number
  /** Another one for every run, so that what must be new is. */
  number: number
}

export type Outcome = { perSecond: number; p50: number; p99: number; most: number; answers: number; cpuSeconds: number }

process.on('message', (run: Run) => {
  measure(run).then(
    (outcome) => process.send?.({ outcome }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
// Ctrl-C reaches every process of a terminal; this one is ended by its parent.
process.on('SIGINT', () => {})

async function measure({ work, adapter: file, about, connections, milliseconds, number }: Run): Promise<Outcome> {
  const { adapter } = (await import(file)) as { adapter: Adapter }
  const prepare = adapter[work]
  if (!prepare) throw new Error(`${file} has no ${work}`)
  const { hostname, port, host } = new URL(about.url)
  const make = await prepare(about)
  const random = makeRandom(number)
  let count = number * countsEach
  const once = (): Shot => shotOf(make(count++, random), host)
  const next = works[work].unique ? once : again(once)

  const cpuBefore = process.cpuUsage()
  const {
    answers,
    milliseconds: taken,
    latency,
  } = await fire({ host: hostname, port: Number(port || 80), connections, milliseconds }, next)
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    perSecond: (answers * 1000) / taken,
    p50: quantile(latency, 0.5),
    p99: quantile(latency, 0.99),
    most: latency.most,
    answers,
    cpuSeconds: (user + system) / 1e6,
  }
}

/** No run makes as many requests. */
const countsEach = 10_000_000

const differentRequests = 2000

/** Made before the clock runs, and then sent in turn. */
function again(once: () => Shot): () => Shot {
  const shots = Array.from({ length: differentRequests }, () => asBytes(once()))
  let at = 0
  return () => shots[at++ % differentRequests] as Shot
}
