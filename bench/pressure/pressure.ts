import { type PhaseResult, type Slice, sliceMilliseconds } from '../load/tally.ts'
import { countUp } from '../measure.ts'
import type { Options } from '../options.ts'
import { timesPicture } from '../picture/times.ts'
import { startGenerator } from '../processes.ts'
import { openStage } from '../stage.ts'
import { inSurroundings, machine, writeFigures } from '../surroundings.ts'
import { formatNumber, table } from '../table.ts'
import { usageOf } from '../usage.ts'
import { createMixedRun, peakOf } from './peak.ts'

/** Measures independent callers at half the peak, at twice the peak, and at half again. */
export const pressure = (options: Options): Promise<void> =>
  inSurroundings(async (surroundings) => {
    const { postgres, progress, onLeave } = surroundings
    const on = await machine(postgres)
    const [records = 10_000] = options.records
    const stage = await openStage(surroundings, records)
    onLeave(stage.close)
    const generator = startGenerator()
    onLeave(async () => generator.stop())
    const pressed = { generator, about: stage.about, product: stage.product, numbers: countUp() }

    progress.say('Finding the peak …')
    const peak = await peakOf(options, pressed)
    progress.say(`The peak is ${formatNumber(peak)} requests a second; now half of it, twice, and half again …`)
    await generator.pour({
      ...createMixedRun(pressed),
      phases: [{ perSecond: peak / 2, milliseconds: settlingMilliseconds }],
    })
    const milliseconds = options.seconds * 1000
    const asked = [0.5, 2, 0.5].map((share) => ({ perSecond: share * peak, milliseconds }))
    const { phases, connections, cpuSeconds } = await generator.pour({ ...createMixedRun(pressed), phases: asked })
    const { pid } = stage.product.server
    const residentMegabytes = (pid === undefined ? undefined : usageOf(pid))?.residentBytes
    progress.end()

    const verdict = verdictOf(phases)
    process.stdout.write(
      `\nThe mix at ${formatNumber(records)} records of a kind; served at most: ${formatNumber(peak)} requests a second\n\n${tableOf(phases)}\n\n${sentences(verdict)}` +
        `Over ${formatNumber(connections)} connections; the generator took ${formatNumber((100 * cpuSeconds * 1000) / (3 * milliseconds))} % of a core.\n`,
    )
    const figures = {
      ...{ at: new Date().toISOString(), machine: on, records, peak, phases, connections, verdict },
      ...{ generatorCpuSeconds: cpuSeconds, residentMegabytes: (residentMegabytes ?? 0) / 2 ** 20 || null },
    }
    const picture = pictureOf(peak, phases)
    process.stdout.write(await writeFigures(options, { name: 'pressure', figures, picture }))
  })

/**
 * Time until a process is settled at another load than the one its code was compiled under. The engine drops code at
 * the first garbage collection and compiles it again. That slows answers for half a second, once in a process's life.
 */
const settlingMilliseconds = 30_000

/** Most allowed p99 at half the peak, as a multiple of the median. */
const spreadMax = 10

export type Verdict = {
  /** p99 by p50 at half the peak. */
  spread: number
  /** Share of the requests at twice the peak. */
  turnedAwayShare: number
  /** Milliseconds after the step back until all answers were good for a second. Null if they never were. */
  recovery: number | null
}

export function verdictOf(phases: readonly PhaseResult[]): Verdict {
  const [half, twice, after] = phases as [PhaseResult, PhaseResult, PhaseResult]
  const isWell = ({ turnedAway, answered, milliseconds }: Slice): boolean =>
    turnedAway === 0 && milliseconds <= answered * spreadMax * half.p50
  const slicesLong = 1000 / sliceMilliseconds
  const from = after.slices.findIndex((_, index) => after.slices.slice(index, index + slicesLong).every(isWell))
  return {
    spread: half.p99 / half.p50,
    turnedAwayShare: twice.turnedAway / twice.arrivals,
    recovery: from < 0 ? null : from * sliceMilliseconds,
  }
}

export const tableOf = (phases: readonly PhaseResult[]): string =>
  table(
    [
      'load',
      'asked/s',
      'answered/s',
      'turned away/s',
      'share',
      'given up',
      'p50 ms',
      'p99 ms',
      'most ms',
      '503 p50',
      '503 p99',
      'left p99',
    ],
    phases.map((phase, index) => {
      const rate = (count: number): string => formatNumber((count * 1000) / phase.milliseconds)
      const refused = (milliseconds: number): string => (phase.turnedAway === 0 ? '–' : formatNumber(milliseconds, 1))
      return [
        ['half the peak', 'twice the peak', 'half again'][index] ?? '',
        formatNumber(phase.perSecond),
        rate(phase.answered),
        rate(phase.turnedAway),
        `${formatNumber((100 * phase.turnedAway) / phase.arrivals, 1)} %`,
        formatNumber(phase.unavailable),
        formatNumber(phase.p50, 2),
        formatNumber(phase.p99, 1),
        formatNumber(phase.most, 0),
        refused(phase.turnedAwayP50),
        refused(phase.turnedAwayP99),
        formatNumber(phase.leftP99, 1),
      ]
    }),
  )

const sentences = ({ spread, turnedAwayShare, recovery }: Verdict): string =>
  `${spread <= spreadMax ? '✓' : '✗'} At half the peak p99 is ${formatNumber(spread, 1)} times the median; at most ${spreadMax} is asked.\n` +
  `At twice the peak ${formatNumber(100 * turnedAwayShare, 0)} % are turned away.\n` +
  `Back at half, ${recovery === null ? 'it has not recovered' : `all is well again after ${formatNumber(recovery)} ms`}.\n`

function pictureOf(peak: number, phases: readonly PhaseResult[]): string {
  const slices = phases.flatMap((phase) => phase.slices)
  const series = (name: string, pick: (slice: (typeof slices)[0]) => number) => ({
    name,
    points: slices.map((slice, index) => ({ x: (index * sliceMilliseconds) / 1000, y: pick(slice) })),
  })
  const perSecond = 1000 / sliceMilliseconds
  return timesPicture('Half the peak, twice, and half again', 'seconds', [
    {
      about: `requests a second; the peak is ${formatNumber(peak)}`,
      series: [
        series('answered', ({ answered }) => answered * perSecond),
        series('turned away', ({ turnedAway }) => turnedAway * perSecond),
      ],
    },
    { about: 'slowest answer of those let in, ms', series: [series('slowest', ({ slowest }) => slowest)] },
  ])
}
