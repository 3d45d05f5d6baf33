import type { Adapter, RunTarget } from './adapter.ts'
import { timeInDatabase } from './database-time.ts'
import type { Outcome } from './load/main.ts'
import type { Postgres } from './postgres.ts'
import type { Generator, Server } from './processes.ts'
import { childrenCpuSeconds, usageOf } from './usage.ts'
import { type WorkName, works } from './works.ts'

/** A system under load: the product, the floor, or another one. */
export type System = { name: string; server: Server; adapter: Adapter; adapterFile: string }

/** Medians over the rounds; what is spent is a mean over all requests. */
export type Figures = {
  perSecond: number
  rounds: number[]
  p50: number
  p99: number
  /** Milliseconds of one request at a time, in PostgreSQL alone. */
  databaseMilliseconds: number | null
  databaseStatements: number | null
  /** Microseconds of the system's own process, and of PostgreSQL's. */
  cpuMicroseconds: number | null
  databaseCpuMicroseconds: number | null
  cpuSeconds: number | null
  residentMegabytes: number | null
}

export type Bench = {
  postgres: Postgres
  database: string
  /** The process whose children are PostgreSQL's connections. */
  postmaster: number | undefined
  generator: Generator
  about: Omit<RunTarget, 'url'>
  milliseconds: number
  rounds: number
  /** Another number for every run. */
  nextNumber: () => number
}

/** Until the code that is measured has been compiled by the engine, as it is in a server that has been up for a while. */
const warmUpMilliseconds = 1500
const databaseTimeMilliseconds = 300

/** Every system in turn, round after round, so that whatever else the machine does meets them all. */
export async function measure(
  bench: Bench,
  systems: readonly System[],
  work: WorkName,
  connections: number,
): Promise<{ [system: string]: Figures }> {
  const able = systems
    .map((system) => ({ system, work: workOf(system, work) }))
    .filter(({ work }) => work !== undefined)
  const outcomes = able.map((): RunResult[] => [])
  for (const { system, work } of able) await runWork(bench, system, work as WorkName, connections, warmUpMilliseconds)
  for (let round = 0; round < bench.rounds; round++) {
    for (const [index, { system, work }] of able.entries()) {
      outcomes[index]?.push(await measureSpending(bench, system, work as WorkName, connections))
    }
  }
  const figures: { [system: string]: Figures } = {}
  for (const [index, { system, work }] of able.entries()) {
    const inDatabase = await databaseTime(bench, system, work as WorkName)
    figures[system.name] = { ...summary(outcomes[index] ?? []), ...inDatabase }
  }
  return figures
}

/** The floor does some works as others. */
const workOf = ({ name, adapter }: System, work: WorkName): WorkName | undefined => {
  const same = name === 'floor' ? works[work].floor : work
  return same !== null && adapter[same] ? same : undefined
}

/** Makes the work of a system for so long; the requests of each run have other numbers. */
export const runWork = (
  bench: Bench,
  system: System,
  work: WorkName,
  connections: number,
  milliseconds: number,
): Promise<Outcome> =>
  bench.generator.run({
    work,
    adapter: system.adapterFile,
    about: { ...bench.about, url: system.server.url },
    connections,
    milliseconds,
    number: bench.nextNumber(),
  })

type RunResult = Outcome & { cpu: number | undefined; databaseCpu: number | undefined; resident: number | undefined }

async function measureSpending(bench: Bench, system: System, work: WorkName, connections: number): Promise<RunResult> {
  const { pid } = system.server
  const now = () => ({
    own: pid === undefined ? undefined : usageOf(pid),
    database: bench.postmaster === undefined ? undefined : childrenCpuSeconds(bench.postmaster),
  })
  const before = now()
  const outcome = await runWork(bench, system, work, connections, bench.milliseconds)
  const after = now()
  return {
    ...outcome,
    cpu: difference(after.own?.cpuSeconds, before.own?.cpuSeconds),
    databaseCpu: pid === undefined ? undefined : difference(after.database, before.database),
    resident: after.own?.residentBytes,
  }
}

/** One request at a time: nothing waits, so that what is counted is work. */
async function databaseTime(bench: Bench, system: System, work: WorkName) {
  if (system.server.pid === undefined) return { databaseMilliseconds: null, databaseStatements: null }
  let answers = 1
  const { milliseconds, statements } = await timeInDatabase(bench.postgres, bench.database, async () => {
    answers = (await runWork(bench, system, work, 1, databaseTimeMilliseconds)).answers
  })
  return { databaseMilliseconds: milliseconds / answers, databaseStatements: statements / answers }
}

function summary(outcomes: readonly RunResult[]): Omit<Figures, 'databaseMilliseconds' | 'databaseStatements'> {
  const of = (pick: (outcome: RunResult) => number): number => median(outcomes.map(pick))
  const answers = sum(outcomes.map((outcome) => outcome.answers)) ?? 0
  const cpu = sum(outcomes.map((outcome) => outcome.cpu))
  const databaseCpu = sum(outcomes.map((outcome) => outcome.databaseCpu))
  const resident = outcomes.map((outcome) => outcome.resident).filter((bytes) => bytes !== undefined)
  return {
    perSecond: of((outcome) => outcome.perSecond),
    rounds: outcomes.map((outcome) => outcome.perSecond),
    p50: of((outcome) => outcome.p50),
    p99: of((outcome) => outcome.p99),
    cpuMicroseconds: cpu === undefined ? null : (cpu * 1e6) / answers,
    databaseCpuMicroseconds: databaseCpu === undefined ? null : (databaseCpu * 1e6) / answers,
    cpuSeconds: cpu ?? null,
    residentMegabytes: resident.length === 0 ? null : Math.max(...resident) / 2 ** 20,
  }
}

/** Returns 1, 2, 3 … */
export function countUp(): () => number {
  let last = 0
  return () => ++last
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  if (sorted.length % 2 === 1) return sorted[middle] as number
  return ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

const difference = (after: number | undefined, before: number | undefined): number | undefined =>
  after === undefined || before === undefined ? undefined : after - before

const sum = (numbers: readonly (number | undefined)[]): number | undefined =>
  numbers.reduce((total, number) => (total === undefined || number === undefined ? undefined : total + number), 0)
