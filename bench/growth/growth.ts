import { join, resolve } from 'node:path'
import type { Options } from '../options.ts'
import { curvesPicture } from '../picture/curves.ts'
import { openStage } from '../stage.ts'
import { inSurroundings, keep, machine, type Surroundings, speedFolder } from '../surroundings.ts'
import { shown, table } from '../table.ts'
import { callsOfAnyone, callsOfLarge, ofCompany } from './calls.ts'
import { type Cost, costOf, type Where } from './cost.ts'

/** What the same call costs as the data grow, and what one large company pays. */
export const growth = (options: Options): Promise<void> =>
  inSurroundings(async (surroundings) => {
    const on = await machine(surroundings.postgres)
    const measured: Measured[] = []
    for (const records of options.records) measured.push(await measureAt(options, surroundings, records))
    surroundings.progress.end()
    const curves = curvesOf(measured)
    process.stdout.write(
      `\nMilliseconds in the database, and of the call, by records of a kind over 1,000 companies\n\n${growthTable(measured)}\n`,
    )
    const large = measured.flatMap((size) => size.large)
    if (large.length > 0) process.stdout.write(`\nA company of 100,000 records\n\n${largeTable(large)}\n`)

    const file = resolve(options.output ?? join(speedFolder, 'growth.json'))
    const figures = {
      at: new Date().toISOString(),
      machine: on,
      rounds: options.rounds,
      seconds: options.seconds,
      measured,
    }
    const picture = curvesPicture('Database time of a call as the data grow', curves)
    process.stdout.write(`\n${await keep(file, figures, picture)}\n`)
  })

type Named = { name: string; cost: Cost }
type Measured = { records: number; calls: Named[]; large: (Named & { most: number | null })[] }

async function measureAt({ rounds, seconds }: Options, surroundings: Surroundings, records: number): Promise<Measured> {
  const { postgres, progress, onLeave } = surroundings
  const stage = await openStage(surroundings, records)
  onLeave(stage.close)
  const about = { ...stage.about, url: stage.product.server.url }
  const where: Where = { postgres, database: stage.database, about, rounds, milliseconds: (seconds * 1000) / rounds }
  const { large } = about.layout
  const of = callsOfAnyone.length + (large ? callsOfLarge.length : 0)
  const calls: Named[] = []
  for (const { name, make } of callsOfAnyone) {
    progress.bar(`${name}, ${shown(records)} records`, calls.length, of)
    calls.push({ name, cost: await costOf(where, make(about)) })
  }
  const ofLarge: Measured['large'] = []
  for (const { name, query, most } of large ? callsOfLarge : []) {
    progress.bar(`${name}, the large company`, calls.length + ofLarge.length, of)
    const company = large?.company as number
    const wanted = ofCompany(about, company, query(about.layout, company))
    ofLarge.push({ name, most, cost: await costOf(where, () => wanted) })
  }
  await stage.close()
  return { records, calls, large: ofLarge }
}

/** More than this times the cost at 10,000 records, at 1,000,000, is growth. */
const growthMax = 1.3

function growthTable(measured: readonly Measured[]): string {
  const costAt = (records: number, name: string): Cost | undefined =>
    measured.find((size) => size.records === records)?.calls.find((call) => call.name === name)?.cost
  return table(
    ['call', ...measured.flatMap(({ records }) => [shown(records), 'call']), '10⁴ → 10⁶', 'asked'],
    callsOfAnyone.map(({ name, level }) => {
      const [small, big] = [costAt(10_000, name), costAt(1_000_000, name)]
      const ratio = small && big ? big.database / small.database : null
      const verdict = !level ? '' : `${ratio === null ? ' ' : ratio <= growthMax ? '✓' : '✗'} ≤ ${growthMax}`
      const costs = measured.flatMap(({ records }) => {
        const cost = costAt(records, name)
        return [shown(cost?.database, 3), shown(cost?.call, 2)]
      })
      return [name, ...costs, shown(ratio, 2), verdict]
    }),
  )
}

const largeTable = (large: Measured['large']): string =>
  table(
    ['call', 'database ms', 'call ms', 'asked'],
    large.map(({ name, cost, most }) => [
      name,
      shown(cost.database, 2),
      shown(cost.call, 2),
      most === null ? '' : `${cost.database <= most ? '✓' : '✗'} ≤ ${most} ms`,
    ]),
  )

const curvesOf = (measured: readonly Measured[]) =>
  callsOfAnyone.map(({ name }) => ({
    name,
    points: measured.map(({ records, calls }) => ({
      records,
      milliseconds: calls.find((call) => call.name === name)?.cost.database ?? 0,
    })),
  }))
