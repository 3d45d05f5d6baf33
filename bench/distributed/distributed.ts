import { join } from 'node:path'
import type { Outcome } from '../load/main.ts'
import { median } from '../measure.ts'
import type { Options } from '../options.ts'
import { type Connection, urlOf } from '../postgres.ts'
import { type Generator, startGenerator, startProduct } from '../processes.ts'
import { createProgress } from '../progress.ts'
import { readTokens } from '../scenario/companies.ts'
import { type Layout, layoutOf } from '../scenario/layout.ts'
import { writeFigures } from '../surroundings.ts'
import { formatNumber, table } from '../table.ts'
import { childrenCpuSeconds, usageOf } from '../usage.ts'
import type { WorkName } from '../works.ts'
import { ask, distributedCopy, plainDatabase, postmasterOf, serversOf } from './cluster.ts'

/** One work of one database: the medians of the rounds, and microseconds of each server's processor for a request. */
type DistributedRow = {
  work: WorkName
  companies: number
  on: string
  perSecond: number
  p50: number
  p99: number
  serviceMicroseconds: number
  serversMicroseconds: number[]
}

/** Compares the same works on one PostgreSQL server, and behind a coordinator with one and with two workers. */
export async function compareDistributed(options: Options): Promise<void> {
  const servers = await serversOf(process.env.CITUS_URL)
  const progress = createProgress(process.stderr)
  const generator = startGenerator()
  const rows: DistributedRow[] = []
  try {
    for (const companies of [1, 40]) {
      const layout = layoutOf(companies * 100, companies)
      const plain = await plainDatabase(servers[0] as Connection, 'bench_plain', layout, progress)
      const databases = [{ on: 'one server', connection: plain }]
      for (const workers of [1, 2]) {
        const wanted = { of: 'bench_plain', name: `bench_over_${workers}`, workers }
        const connection = await distributedCopy(servers, wanted, progress)
        databases.push({ on: `Citus, ${workers} worker${workers === 1 ? '' : 's'}`, connection })
      }
      for (const database of databases)
        rows.push(...(await measureDatabase({ ...database, generator, layout, servers, options })))
    }
    progress.end()
    process.stdout.write(`\n${tableOf(rows)}\n`)
    const figures = { at: new Date().toISOString(), rows }
    process.stdout.write(`\n${await writeFigures(options, { name: 'distributed', figures })}`)
  } finally {
    generator.stop()
    for (const server of servers)
      for (const name of ['bench_plain', 'bench_over_1', 'bench_over_2'])
        await ask(server, `drop database if exists ${name} with (force)`)
  }
}

type MeasureRequest = {
  on: string
  connection: Connection
  generator: Generator
  layout: Layout
  servers: readonly Connection[]
  options: Options
}

async function measureDatabase({
  on,
  connection,
  generator,
  layout,
  servers,
  options,
}: MeasureRequest): Promise<DistributedRow[]> {
  const server = await startProduct(urlOf(connection))
  const tokens = await readTokens(connection)
  const postmasters = await Promise.all(servers.map(postmasterOf))
  const [connections = 16] = options.connections
  const adapter = join(import.meta.dirname, '../adapters/product.ts')
  let number = Date.now() % 1_000_000
  const run = (work: WorkName, milliseconds: number) => {
    number++
    return generator.run({
      ...{ work, adapter, connections, milliseconds, number },
      about: { layout, tokens, url: server.url },
    })
  }
  try {
    const rows: DistributedRow[] = []
    for (const work of options.works) {
      await run(work, 1500)
      const used = () => [
        usageOf(server.pid as number)?.cpuSeconds,
        ...postmasters.map((pid) => pid && childrenCpuSeconds(pid)),
      ]
      const before = used()
      const outcomes: Outcome[] = []
      for (let round = 0; round < options.rounds; round++) outcomes.push(await run(work, options.seconds * 1000))
      const answers = outcomes.reduce((sum, outcome) => sum + outcome.answers, 0)
      const spent = used().map((after, index) => (1e6 * ((after ?? 0) - (before[index] ?? 0))) / answers)
      const of = (pick: (outcome: (typeof outcomes)[number]) => number) => median(outcomes.map(pick))
      const [serviceMicroseconds = 0, ...serversMicroseconds] = spent
      rows.push({
        ...{ work, companies: layout.companies, on, serviceMicroseconds, serversMicroseconds },
        ...{ perSecond: of((one) => one.perSecond), p50: of((one) => one.p50), p99: of((one) => one.p99) },
      })
    }
    return rows
  } finally {
    await server.stop()
  }
}

const tableOf = (rows: readonly DistributedRow[]): string =>
  table(
    [
      'work',
      'companies',
      'on',
      'per second',
      'p50 ms',
      'p99 ms',
      'CPU µs: service',
      'coordinator',
      'worker 1',
      'worker 2',
    ],
    rows.map(({ work, companies, on, perSecond, p50, p99, serviceMicroseconds, serversMicroseconds }) => [
      ...[
        work,
        String(companies),
        on,
        formatNumber(perSecond),
        p50.toFixed(1),
        p99.toFixed(1),
        formatNumber(serviceMicroseconds),
      ],
      ...serversMicroseconds.map(formatNumber),
    ]),
  )
