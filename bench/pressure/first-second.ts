import { countUp, median } from '../measure.ts'
import type { Options } from '../options.ts'
import { urlOf } from '../postgres.ts'
import { startGenerator, startProduct } from '../processes.ts'
import { openStage } from '../stage.ts'
import { inSurroundings, machine, writeFigures } from '../surroundings.ts'
import { formatNumber, table } from '../table.ts'
import { usageOf } from '../usage.ts'

/** Microseconds of the service's processor time for each write: in the first second, and at the end of the run. */
type Life = { first: number; last: number; firstWrites: number }

/** The most cost of the first second, as a multiple of the cost at the end of the run. */
const ratioMax = 1.3
/** Creates a second at their own pace, so that the first second and the end have the same load. */
const usualRate = 400
/** Length of the end of a run. */
const endMilliseconds = 5000

/** Measures keyed creates of one company in a process that has just begun to serve, and later. */
export const firstSecond = (options: Options): Promise<void> =>
  inSurroundings(async (surroundings) => {
    const { postgres, progress, onLeave } = surroundings
    const on = await machine(postgres)
    const [records = 10_000] = options.records
    const rate = options.rate ?? usualRate
    const stage = await openStage(surroundings, records)
    onLeave(stage.close)
    const generator = startGenerator()
    onLeave(async () => generator.stop())
    const url = urlOf(postgres.connection(stage.database))
    const numbers = countUp()
    const lives: Life[] = []
    const live = async (): Promise<Life> => {
      const server = await startProduct(url)
      const about = { ...stage.about, layout: { ...stage.about.layout, companies: 1 }, url: server.url }
      const spent = () => usageOf(server.pid as number)?.cpuSeconds ?? Number.NaN
      const cost = async (milliseconds: number) => {
        const before = spent()
        const { phases } = await generator.pour({
          ...{ work: 'create-keyed', adapter: stage.product.adapterFile, about, connections: 0, milliseconds: 0 },
          ...{ number: numbers(), phases: [{ perSecond: rate, milliseconds }] },
        })
        const writes = phases.reduce((sum, { answered }) => sum + answered, 0)
        return { writes, each: ((spent() - before) * 1e6) / writes }
      }
      try {
        const first = await cost(1000)
        await cost(options.seconds * 1000 - 1000 - endMilliseconds)
        const last = await cost(endMilliseconds)
        progress.say(`${formatNumber(first.each)} µs, then ${formatNumber(last.each)} µs`)
        return { first: first.each, last: last.each, firstWrites: first.writes }
      } finally {
        await server.stop()
      }
    }
    for (let round = 0; round < options.rounds; round++) {
      progress.bar(`round ${round + 1}`, round, options.rounds)
      lives.push(await live())
    }
    progress.end()
    const ratio = ratioOf(lives)
    process.stdout.write(
      `\nMicroseconds of the service for each create with a key, ${formatNumber(rate)} a second of one company\n\n${tableOf(lives)}\n\n` +
        `${ratio <= ratioMax ? '✓' : '✗'} the first second costs ${formatNumber(ratio, 2)} times the end of ${formatNumber(options.seconds)} seconds; asked is at most ${ratioMax}.\n`,
    )
    const figures = { at: new Date().toISOString(), machine: on, records, rate, lives }
    process.stdout.write(await writeFigures(options, { name: 'first-second', figures }))
  })

const ratioOf = (lives: readonly Life[]): number => median(lives.map(({ first, last }) => first / last))

const tableOf = (lives: readonly Life[]): string =>
  table(
    ['writes', 'first second', 'end', 'ratio'],
    lives.map(({ firstWrites, first, last }) => [
      formatNumber(firstWrites),
      formatNumber(first),
      formatNumber(last),
      formatNumber(first / last, 2),
    ]),
  )
