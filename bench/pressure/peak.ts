import type { RunTarget } from '../adapter.ts'
import type { Run } from '../load/main.ts'
import { median, type System } from '../measure.ts'
import type { Options } from '../options.ts'
import type { Generator } from '../processes.ts'
import type { Stage } from '../stage.ts'

/** What runs on this stage and with this generator have in common. */
export type PressureContext = { generator: Generator; about: Stage['about']; product: System; numbers: () => number }

/** Long enough for the connections to be there and the code to be compiled. */
const warmUpMilliseconds = 3000

/** Requests of the mix a second when every caller waits for his answer: the most that can be served here. */
export async function peakOf({ rounds, seconds, connections }: Options, pressed: PressureContext): Promise<number> {
  const rates: number[] = []
  await pressed.generator.run({
    ...createMixedRun(pressed),
    ...peakOptions(connections),
    milliseconds: warmUpMilliseconds,
  })
  for (let round = 0; round < rounds; round++) {
    const run = { ...createMixedRun(pressed), ...peakOptions(connections), milliseconds: seconds * 1000 }
    rates.push((await pressed.generator.run(run)).perSecond)
  }
  return median(rates)
}

const peakOptions = ([connections = 32]: readonly number[]) => ({ connections })

/** The mix, asked of the product. */
export function createMixedRun({ about, product, numbers }: PressureContext): Run {
  const asked: RunTarget = { ...about, url: product.server.url }
  return {
    ...{ work: 'mix', adapter: product.adapterFile, about: asked, number: numbers() },
    ...{ connections: 0, milliseconds: 0 },
  }
}
