import type { Options } from '../options.ts'
import { curvesPicture } from '../picture/curves.ts'
import { openStage } from '../stage.ts'
import { inSurroundings, machine, type Surroundings, writeFigures } from '../surroundings.ts'
import { formatNumber, table } from '../table.ts'
import { callsOfAnyone, callsOfLarge, ofCompany } from './calls.ts'
import { type Cost, type CostContext, costOf } from './cost.ts'

/** Measures the cost of the same call as the data grow, and in one large company. */
export const growth = (options: Options): Promise<void> =>
  inSurroundings(async (surroundings) => {
    const on = await machine(surroundings.postgres)
    const measured: GrowthResult[] = []
    for (const records of options.records) measured.push(await measureAt(options, surroundings, records))
    surroundings.progress.end()
    const curves = curvesOf(measured)
    process.stdout.write(
      `\nMilliseconds in the database, and of the call, by records of a kind over 1,000 companies\n\n${growthTable(measured)}\n`,
    )
    const large = measured.flatMap((size) => size.large)
    if (large.length > 0) process.stdout.write(`\nA company of 100,000 records\n\n${largeTable(large)}\n`)

    const figures = {
      at: new Date().toISOString(),
      machine: on,
      rounds: options.rounds,
      seconds: options.seconds,
      ratios: callsOfAnyone.map(({ name, level }) => ({
        name,
        ratio: ratioOf(measured, name),
        most: level ? growthMax : null,
      })),
      measured,
    }
    const picture = curvesPicture('Database time of a call as the data grow', curves)
    process.stdout.write(`\n${await writeFigures(options, { name: 'growth', figures, picture })}`)
  })

type NamedCost = { name: string; cost: Cost }
type GrowthResult = { records: number; calls: NamedCost[]; large: (NamedCost & { most: number })[] }

async function measureAt(
  { rounds, seconds }: Options,
  surroundings: Surroundings,
  records: number,
): Promise<GrowthResult> {
  const { postgres, progress, onLeave } = surroundings
  const stage = await openStage(surroundings, records)
  onLeave(stage.close)
  const about = { ...stage.about, url: stage.product.server.url }
  const milliseconds = (seconds * 1000) / rounds
  const warmMilliseconds = Math.max(milliseconds, records / warmPerMillisecond)
  const where: CostContext = { postgres, database: stage.database, about, rounds, milliseconds, warmMilliseconds }
  const { large } = about.layout
  const of = callsOfAnyone.length + (large ? callsOfLarge.length : 0)
  const calls: NamedCost[] = []
  for (const { name, make } of callsOfAnyone) {
    progress.bar(`${name}, ${formatNumber(records)} records`, calls.length, of)
    calls.push({ name, cost: await costOf(where, make(about)) })
  }
  const ofLarge: GrowthResult['large'] = []
  for (const { name, query, most } of large ? callsOfLarge : []) {
    progress.bar(`${name}, the large company`, calls.length + ofLarge.length, of)
    const company = large?.company as number
    const wanted = ofCompany(about, company, query(about.layout, company))
    ofLarge.push({ name, most, cost: await costOf({ ...where, warmMilliseconds: milliseconds }, () => wanted) })
  }
  await stage.close()
  return { records, calls, large: ofLarge }
}

/**
 * Calls before the first round, per millisecond. The first access of a PostgreSQL process to a page of shared memory is
 * slow, because the system has to map it. So these calls have to reach most pages, as in a process that has served.
 */
const warmPerMillisecond = 125

/** A cost at 1,000,000 records above this multiple of that at 10,000 is growth. */
const growthMax = 1.3

const costAt = (measured: readonly GrowthResult[], records: number, name: string): Cost | undefined =>
  measured.find((size) => size.records === records)?.calls.find((call) => call.name === name)?.cost

/** Returns the ratio of the costs. Null if one of the two sizes was not measured. */
function ratioOf(measured: readonly GrowthResult[], name: string): number | null {
  const [small, big] = [costAt(measured, 10_000, name), costAt(measured, 1_000_000, name)]
  return small && big ? big.database / small.database : null
}

function growthTable(measured: readonly GrowthResult[]): string {
  return table(
    ['call', ...measured.flatMap(({ records }) => [formatNumber(records), 'call']), '10⁴ → 10⁶', 'asked'],
    callsOfAnyone.map(({ name, level }) => {
      const ratio = ratioOf(measured, name)
      const verdict = !level ? '' : `${ratio === null ? ' ' : ratio <= growthMax ? '✓' : '✗'} ≤ ${growthMax}`
      const costs = measured.flatMap(({ records }) => {
        const cost = costAt(measured, records, name)
        return [formatNumber(cost?.database, 3), formatNumber(cost?.call, 2)]
      })
      return [name, ...costs, formatNumber(ratio, 2), verdict]
    }),
  )
}

const largeTable = (large: GrowthResult['large']): string =>
  table(
    ['call', 'database ms', 'call ms', 'asked'],
    large.map(({ name, cost, most }) => [
      name,
      formatNumber(cost.database, 2),
      formatNumber(cost.call, 2),
      `${cost.database <= most ? '✓' : '✗'} ≤ ${most} ms`,
    ]),
  )

const curvesOf = (measured: readonly GrowthResult[]) =>
  callsOfAnyone.map(({ name }) => ({
    name,
    points: measured.map(({ records, calls }) => ({
      records,
      milliseconds: calls.find((call) => call.name === name)?.cost.database ?? 0,
    })),
  }))
