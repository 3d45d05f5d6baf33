import type { RunTarget } from '../adapter.ts'
import type { Run } from '../load/main.ts'
import { median, type System } from '../measure.ts'
import type { Options } from '../options.ts'
import type { Generator } from '../processes.ts'
import type { Stage } from '../stage.ts'

/** The common parts of the runs on one stage with one generator. */
export type PressureContext = { generator: Generator; about: Stage['about']; product: System; numbers: () => number }

/** Time until the connections are open and the code is compiled. */
const warmUpMilliseconds = 3000

/** Measures the peak: requests of the mix a second if every caller waits for its answer. */
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

/** Returns the run of the mix for the product. */
export function createMixedRun({ about, product, numbers }: PressureContext): Run {
  const asked: RunTarget = { ...about, url: product.server.url }
  return {
    ...{ work: 'mix', adapter: product.adapterFile, about: asked, number: numbers() },
    ...{ connections: 0, milliseconds: 0 },
  }
}
