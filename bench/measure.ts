import type { Adapter, RunTarget } from './adapter.ts'
import { timeInDatabase } from './database-time.ts'
import type { Outcome } from './load/main.ts'
import type { Postgres } from './postgres.ts'
import type { Generator, Server } from './processes.ts'
import { childrenCpuSeconds, usageOf } from './usage.ts'
import { type WorkName, works } from './works.ts'

/** A system under load: the product, the floor, or another one. */
export type System = { name: string; server: Server; adapter: Adapter; adapterFile: string }

/** Medians over the rounds. Processor and database time are means over all requests. */
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
  /** The parent process of PostgreSQL's connections. */
  postmaster: number | undefined
  generator: Generator
  about: Omit<RunTarget, 'url'>
  milliseconds: number
  rounds: number
  /** Returns another number for every run. */
  nextNumber: () => number
}

/** Time until the engine has compiled the measured code, as in a server that has run for a while. */
const warmUpMilliseconds = 1500
const databaseTimeMilliseconds = 300

/** Measures the systems in turn, round by round, so that other load of the machine affects them equally. */
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

/** Returns the work of the system. The floor does some works like others. */
const workOf = ({ name, adapter }: System, work: WorkName): WorkName | undefined => {
  const same = name === 'floor' ? works[work].floor : work
  return same !== null && adapter[same] ? same : undefined
}

/** Runs a work of a system for a time. The requests of each run have other numbers. */
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

/** Measures the database time with one request at a time, so that no waiting is counted. */
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
