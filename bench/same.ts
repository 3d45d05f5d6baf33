import type { RequestFactory, RunTarget } from './adapter.ts'
import { createRandom } from './load/random.ts'
import type { System } from './measure.ts'
import { BenchProblem } from './problem.ts'

const reads = ['fetch', 'list', 'filtered', 'q'] as const
const timesEach = 5

/** Throws unless both answer the same reads with the same bytes: a floor must not do less than the product. */
export async function mustAnswerTheSame(product: System, floor: System, about: Omit<RunTarget, 'url'>): Promise<void> {
  for (const work of reads) {
    for (let seed = 1; seed <= timesEach; seed++) {
      const [one, other] = await Promise.all(
        [product, floor].map(async ({ server, adapter }) => {
          const make = await (adapter[work] as RequestFactory)({ ...about, url: server.url })
          const { path, headers } = make(seed, createRandom(seed))
          const answer = await fetch(server.url + path, headers ? { headers } : {})
          return `${answer.status} ${await answer.text()}`
        }),
      )
      if (one !== other) throw new BenchProblem(`${work}: ${difference(one as string, other as string)}`)
    }
  }
}

/** Formats the first difference of two answers with a little context. */
function difference(product: string, floor: string): string {
  let at = 0
  while (product[at] === floor[at]) at++
  const around = (text: string): string => `…${text.slice(Math.max(0, at - 60), at + 60)}…`
  return `the product answers\n  ${around(product)}\nand the floor\n  ${around(floor)}`
}
