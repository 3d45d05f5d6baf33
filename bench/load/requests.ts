import type { Adapter, MakeRequest } from '../adapter.ts'
import { type WorkName, works } from '../works.ts'
import type { Run } from './main.ts'
import { createRandom } from './random.ts'
import type { BenchShot } from './volley.ts'
import { asBytes, shotOf } from './wire.ts'

/** The works of a working day, with their shares. */
const mix: readonly { work: WorkName; share: number }[] = [
  { work: 'fetch', share: 0.8 },
  { work: 'list', share: 0.1 },
  { work: 'create-keyed', share: 0.1 },
]

/** Returns the generator of the requests of a run. Repeatable requests are formatted before the run. */
export async function requestsOf({ work, adapter: file, about, number }: Run): Promise<() => BenchShot> {
  const { adapter } = (await import(file)) as { adapter: Adapter }
  const { host } = new URL(about.url)
  const random = createRandom(number)
  let count = number * countsEach
  const of = async (name: WorkName): Promise<() => BenchShot> => {
    const make = (await adapter[name]?.(about)) as MakeRequest | undefined
    if (!make) throw new Error(`${file} has no ${name}`)
    const once = (): BenchShot => shotOf(make(count++, random), host)
    return works[name].unique ? once : repeatRequests(once)
  }
  if (work !== 'mix') return of(work)
  // Each work is in the row as often as its share.
  const row: (() => BenchShot)[] = []
  for (const { work: name, share } of mix) {
    const next = await of(name)
    row.push(...Array.from({ length: Math.round(share * 100) }, () => next))
  }
  return () => (row[Math.floor(random() * row.length)] as () => BenchShot)()
}

/** More numbers than any run has requests. */
const countsEach = 10_000_000

const differentRequests = 2000

function repeatRequests(once: () => BenchShot): () => BenchShot {
  const shots = Array.from({ length: differentRequests }, () => asBytes(once()))
  let at = 0
  return () => shots[at++ % differentRequests] as BenchShot
}
