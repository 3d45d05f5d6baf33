import pg from 'pg'
import { countUp } from '../measure.ts'
import type { Options } from '../options.ts'
import { timesPicture } from '../picture/times.ts'
import { type Connection, urlOf } from '../postgres.ts'
import { BenchProblem } from '../problem.ts'
import { type Generator, startGenerator, startProduct } from '../processes.ts'
import { readTokens } from '../scenario/companies.ts'
import { fill } from '../scenario/fill.ts'
import { inSurroundings, machine, type Surroundings, writeFigures } from '../surroundings.ts'
import { formatNumber } from '../table.ts'
import type { WorkName } from '../works.ts'
import type { FreshService } from './calls.ts'
import { type GrowthResult, grow, measureLoaded } from './grow.ts'
import { freshLayout, furnish, newFolder } from './place.ts'
import { autoanalyzeSentence, compare, freshPanels, freshTable, type LoadedResult } from './report.ts'
import { openStatistics } from './statistics.ts'
import { type FreshWork, freshWorks } from './works.ts'

/** Measures a new installation that grows by its creates, beside loaded and analysed databases of the same sizes. */
export const fresh = (options: Options): Promise<void> => {
  const sizes = sizesOf(options.records)
  const works = worksOf(options.works)
  return inSurroundings(async (surroundings) => {
    const on = await machine(surroundings.postgres)
    const { grown, loaded } = await measureFresh({ ...options, works }, sizes, surroundings)
    surroundings.progress.end()
    const compared = compare(grown, loaded)
    process.stdout.write(
      `\nOne company of a new installation, ${formatNumber(options.connections[0] as number)} connections; where there are two numbers, fresh / analysed\n\n${freshTable(compared)}\n\n${autoanalyzeSentence(grown.autoanalyzes)}\n`,
    )
    const { seconds, connections } = options
    const { steps, ...rest } = grown
    const figures = { at: new Date().toISOString(), machine: on, seconds, connections, ...rest, compared }
    const picture = timesPicture('A new installation as it grows', 'records', freshPanels(compared))
    process.stdout.write(`\n${await writeFigures(options, { name: 'fresh', figures, picture })}`)
  })
}

/** Limits of a size. From `least` on, a page of results is full. Beyond `most`, there are better ways to load. */
const records = { least: 400, most: 500_000 }

export function sizesOf(asked: readonly number[]): number[] {
  const sizes = [...new Set(asked)].toSorted((one, other) => one - other)
  if (sizes.every((size) => records.least <= size && size <= records.most)) return sizes
  throw new BenchProblem(
    `--fresh grows to sizes from ${formatNumber(records.least)} to ${formatNumber(records.most)}: give others to --records.`,
  )
}

/** Returns the works of `--only` that are measured here. */
export function worksOf(asked: readonly WorkName[]): FreshWork[] {
  const works = freshWorks.filter((work) => asked.includes(work))
  if (works.length === asked.length) return works
  throw new BenchProblem(`--fresh measures ${freshWorks.join(', ')}: give some of these to --only.`)
}

type FreshOptions = Pick<Options, 'connections' | 'seconds'> & { works: readonly FreshWork[] }

export async function measureFresh(
  { works, connections: [connections = 32], seconds }: FreshOptions,
  sizes: readonly number[],
  { progress, onLeave }: Pick<Surroundings, 'progress' | 'onLeave'>,
): Promise<{ grown: GrowthResult; loaded: LoadedResult[] }> {
  const generator = startGenerator()
  onLeave(async () => generator.stop())
  const folder = await newFolder(progress)
  onLeave(folder.remove)
  const most = sizes.at(-1) as number
  const milliseconds = seconds * 1000
  const numbers = countUp()
  const within = { generator, connections, numbers }

  await furnish(folder.connection, freshLayout(most), progress)
  const grown = await withFreshService(within, folder.connection, onLeave, (asked) =>
    grow({ asked, works, sizes, milliseconds, tell: (about, made) => progress.bar(`fresh: ${about}`, made, most) }),
  )
  const loaded: LoadedResult[] = []
  for (const [done, size] of sizes.entries()) {
    progress.bar('analysed', done, sizes.length)
    const connection = await loadedDatabase(folder.connection, size, progress)
    const measured = await withFreshService(within, connection, onLeave, (asked) =>
      measureLoaded({ asked, works, milliseconds }, size),
    )
    loaded.push({ records: size, works: measured })
    await inDatabase(folder.connection, `drop database ${connection.database} with (force)`)
  }
  return { grown, loaded }
}

type FreshContext = { generator: Generator; connections: number; numbers: () => number }

/** Runs the service on this database while `work` runs. */
async function withFreshService<T>(
  within: FreshContext,
  connection: Connection,
  onLeave: Surroundings['onLeave'],
  work: (asked: FreshService) => Promise<T>,
): Promise<T> {
  const statistics = await openStatistics(connection)
  onLeave(statistics.close)
  const server = await startProduct(urlOf(connection))
  onLeave(server.stop)
  try {
    return await work({ ...within, server, statistics, tokens: await readTokens(connection) })
  } finally {
    await server.stop()
    await statistics.close()
  }
}

/** Creates the loaded database in the same PostgreSQL, so that all else is equal. */
async function loadedDatabase(beside: Connection, size: number, progress: Surroundings['progress']) {
  const connection = { ...beside, database: `analysed_${size}` }
  await inDatabase(beside, `create database ${connection.database}`)
  const layout = freshLayout(size)
  await furnish(connection, { ...layout, clients: [], workers: [], categories: [] }, progress)
  await fill(connection, layout, progress)
  return connection
}

async function inDatabase(connection: Connection, text: string): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(text).finally(() => client.end())
}
