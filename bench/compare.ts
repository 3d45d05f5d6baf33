import { resolve } from 'node:path'
import { fire } from './load/volley.ts'
import { asBytes, shotOf } from './load/wire.ts'
import { type Bench, countUp, measure, median, type System } from './measure.ts'
import type { Options } from './options.ts'
import { barsPicture } from './picture/bars.ts'
import { findPostmaster } from './postgres.ts'
import { BenchProblem } from './problem.ts'
import { type Generator, startGenerator } from './processes.ts'
import { failures, formatSpending, type ReportRow, tableOf } from './report.ts'
import { mustAnswerTheSame } from './same.ts'
import { openStage, systemOf } from './stage.ts'
import { inSurroundings, machine, type Surroundings, writeFigures } from './surroundings.ts'
import { formatNumber } from './table.ts'
import type { WorkName } from './works.ts'

/** Product and floor, side by side, in one run. */
export const compare = (options: Options): Promise<void> =>
  inSurroundings(async (surroundings) => {
    const { postgres, progress, onLeave } = surroundings
    const on = await machine(postgres)
    const generator = startGenerator()
    onLeave(async () => generator.stop())
    const rows: ReportRow[] = []
    const ceilings: number[] = []
    for (const records of options.records) {
      for (const connections of options.connections) {
        ceilings.push(await compareAt(options, surroundings, generator, records, connections, rows))
      }
    }
    progress.end()

    const { works, connections, rounds, seconds } = options
    const figures = {
      at: new Date().toISOString(),
      machine: on,
      works,
      connections,
      rounds,
      seconds,
      ceiling: median(ceilings),
      rows,
    }
    process.stdout.write(await writeFigures(options, { name: 'latest', figures, picture: barsPicture(rows) }))
  })

/** Compares on a fresh copy of the data, so that earlier writes do not influence a table. */
async function compareAt(
  options: Options,
  surroundings: Surroundings,
  generator: Generator,
  records: number,
  connections: number,
  rows: ReportRow[],
): Promise<number> {
  const { postgres, progress, onLeave } = surroundings
  const stage = await openStage(surroundings, records)
  onLeave(stage.close)
  await mustAnswerTheSame(stage.product, stage.floor, stage.about)
  const ceiling = await rateOfNothing(stage.floor)
  const bench: Bench = {
    ...{ postgres, generator, rounds: options.rounds, milliseconds: options.seconds * 1000 },
    ...{ database: stage.database, about: stage.about, postmaster: await findPostmaster(postgres) },
    nextNumber: countUp(),
  }
  const systems = [stage.product, stage.floor, ...(await startOtherSystems(options))]
  const title = `${formatNumber(records)} records of a kind over 1,000 companies, ${connections} connection${connections === 1 ? '' : 's'}`
  const here: ReportRow[] = []
  for (const [index, work] of options.works.entries()) {
    progress.bar(`${title}: ${work}`, index, options.works.length)
    here.push({ work, records, connections, ...(await measureWork(bench, systems, work, connections)) })
  }
  rows.push(...here)
  progress.end()
  process.stdout.write(
    `\n${title}\n\n${tableOf(here, rows, options.against && 'other')}\n\n${failures(here)}Processor time: ${formatSpending(here)}. A fixed body, to compare: ${formatNumber(ceiling)}/s.\n`,
  )
  await stage.close()
  return ceiling
}

/** Measures one work. A wrong answer fails this work only. */
async function measureWork(
  bench: Bench,
  systems: readonly System[],
  work: WorkName,
  connections: number,
): Promise<Pick<ReportRow, 'systems' | 'failed'>> {
  try {
    return { systems: await measure(bench, systems, work, connections) }
  } catch (error) {
    if (!(error instanceof BenchProblem)) throw error
    process.exitCode = 1
    return { systems: {}, failed: error.message }
  }
}

/** Measures the rate of the generator with a server that does nothing: the machine's own limit. */
async function rateOfNothing({ server }: System): Promise<number> {
  const { hostname, port, host } = new URL(server.url)
  const expect = { status: 200 }
  const shot = asBytes(shotOf({ method: 'GET', path: '/nothing', expect }, host))
  const { answers, milliseconds } = await fire(
    { host: hostname, port: Number(port), connections: 32, milliseconds: 1000 },
    () => shot,
  )
  return (answers * 1000) / milliseconds
}

const startOtherSystems = async ({ against }: Options): Promise<System[]> =>
  against === null
    ? []
    : [
        await systemOf(
          'other',
          { url: against.url, pid: undefined, logBytes: () => 0, complaints: () => '', stop: async () => {} },
          resolve(against.adapter),
        ),
      ]
