import type { Outcome } from '../load/main.ts'
import { countUp, median } from '../measure.ts'
import type { Options } from '../options.ts'
import { urlOf } from '../postgres.ts'
import { type Generator, type Server, startGenerator, startProduct } from '../processes.ts'
import { openStage, type Stage } from '../stage.ts'
import { inSurroundings, machine, writeFigures } from '../surroundings.ts'
import { formatNumber, table } from '../table.ts'
import type { WorkName } from '../works.ts'

/** The medians of one work for a number of processes. */
type ProcessesResult = {
  work: WorkName
  processes: number
  perSecond: number
  p50: number
  p99: number
  rounds: number[]
}

/** Compares the same works with one process and with several, in turn, on the same data. */
export const processes = (options: Options): Promise<void> =>
  inSurroundings(async (surroundings) => {
    const { postgres, progress, onLeave } = surroundings
    const on = await machine(postgres)
    const [records = 10_000] = options.records
    const [connections = 32] = options.connections
    const stage = await openStage(surroundings, records)
    onLeave(stage.close)
    const generator = startGenerator()
    onLeave(async () => generator.stop())
    const url = urlOf(postgres.connection(stage.database))
    const servers: { count: number; server: Server }[] = []
    for (const count of options.processes) {
      const server = await startProduct(url, { settings: { PROCESSES: String(count) } })
      onLeave(server.stop)
      servers.push({ count, server })
    }
    const numbers = countUp()
    const rows: ProcessesResult[] = []
    for (const [index, work] of options.works.entries()) {
      progress.bar(work, index, options.works.length)
      const run = (server: Server, milliseconds: number) =>
        runOn({ generator, stage, server, work, connections, milliseconds, number: numbers() })
      const outcomes = servers.map((): Outcome[] => [])
      for (const { server } of servers) await run(server, warmUpMilliseconds)
      for (let round = 0; round < options.rounds; round++) {
        for (const [at, { server }] of servers.entries()) outcomes[at]?.push(await run(server, options.seconds * 1000))
      }
      for (const [at, { count }] of servers.entries()) rows.push(servedOf(work, count, outcomes[at] ?? []))
    }
    progress.end()
    process.stdout.write(
      `\n${formatNumber(connections)} connections, ${on.cores} processors for callers, servers and database together\n\n${tableOf(rows)}\n`,
    )
    const figures = { at: new Date().toISOString(), machine: on, records, connections, rows }
    process.stdout.write(`\n${await writeFigures(options, { name: 'processes', figures })}`)
  })

/** Warm-up time for all processes. */
const warmUpMilliseconds = 2000

type ProcessesContext = {
  generator: Generator
  stage: Stage
  server: Server
  work: WorkName
  connections: number
  milliseconds: number
  number: number
}

const runOn = ({ generator, stage: { about, product }, server, ...run }: ProcessesContext): Promise<Outcome> =>
  generator.run({ ...run, adapter: product.adapterFile, about: { ...about, url: server.url } })

function servedOf(work: WorkName, count: number, outcomes: readonly Outcome[]): ProcessesResult {
  const of = (pick: (outcome: Outcome) => number): number => median(outcomes.map(pick))
  return {
    ...{ work, processes: count, rounds: outcomes.map(({ perSecond }) => perSecond) },
    perSecond: of((outcome) => outcome.perSecond),
    p50: of((outcome) => outcome.p50),
    p99: of((outcome) => outcome.p99),
  }
}

const tableOf = (rows: readonly ProcessesResult[]): string =>
  table(
    ['work', 'processes', 'answers/s', 'to the first', 'p50 ms', 'p99 ms'],
    rows.map(({ work, processes: count, perSecond, p50, p99 }) => {
      const first = rows.find((row) => row.work === work)?.perSecond ?? perSecond
      return [
        work,
        String(count),
        formatNumber(perSecond),
        formatNumber(perSecond / first, 2),
        formatNumber(p50, 2),
        formatNumber(p99, 2),
      ]
    }),
  )
