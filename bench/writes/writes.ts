import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { timeInDatabase } from '../database-time.ts'
import { type Bench, countUp, type Figures, measure, runWork, type System } from '../measure.ts'
import type { Options } from '../options.ts'
import { findPostmaster } from '../postgres.ts'
import { startGenerator } from '../processes.ts'
import { idOf } from '../scenario/layout.ts'
import { openStage, type Stage, systemOf } from '../stage.ts'
import { inSurroundings, machine, type Surroundings, writeFigures } from '../surroundings.ts'
import { formatNumber, table } from '../table.ts'
import { childrenCpuSeconds, usageOf } from '../usage.ts'
import { batchRows, type WorkName } from '../works.ts'
import { startPeer } from './peer.ts'

/** One figure with its requirement. If `got` is null, it was not measured, and `note` has the reason. */
type Finding = { about: string; got: number | null; asked: { least: number } | { most: number } | null; note: string }

/** Measures writes of one company beside the floor and, if its binary is given, the Go backend. */
export const writes = (options: Options): Promise<void> =>
  inSurroundings(async (surroundings) => {
    const on = await machine(surroundings.postgres)
    const findings: Finding[] = []
    for (const part of [oneCompany, sixteenCompanies, sortedLists])
      findings.push(...(await part(options, surroundings)))
    surroundings.progress.end()
    process.stdout.write(`\n${tableOf(findings)}\n\n`)
    const { rounds, seconds } = options
    const figures = { at: new Date().toISOString(), machine: on, rounds, seconds, findings }
    process.stdout.write(await writeFigures(options, { name: 'writes', figures }))
  })

const isMet = ({ got, asked }: Finding): boolean | null =>
  got === null || asked === null ? null : 'least' in asked ? got >= asked.least : got <= asked.most

export const tableOf = (findings: readonly Finding[]): string =>
  table(
    ['', 'measured', 'asked', ''],
    findings.map((finding) => {
      const { about, got, asked, note } = finding
      const met = isMet(finding)
      const bound = asked === null ? '' : 'least' in asked ? `≥ ${asked.least}` : `≤ ${asked.most}`
      return [
        about,
        formatNumber(got, got !== null && got > 100 ? 0 : 2),
        `${met === null ? ' ' : met ? '✓' : '✗'} ${bound}`,
        note,
      ]
    }),
  )

/** Runs work on a stage with a generator, and closes both when it ends. */
async function onStage<Result>(
  surroundings: Surroundings,
  { records, companies }: { records: number; companies: number },
  options: Options,
  work: (stage: Stage, bench: Bench) => Promise<Result>,
): Promise<Result> {
  const { postgres, onLeave } = surroundings
  const stage = await openStage(surroundings, records, companies)
  onLeave(stage.close)
  const generator = startGenerator()
  try {
    return await work(stage, {
      ...{ postgres, generator, database: stage.database, about: stage.about },
      ...{ postmaster: await findPostmaster(postgres), nextNumber: countUp() },
      ...{ rounds: options.rounds, milliseconds: options.seconds * 1000 },
    })
  } finally {
    generator.stop()
    await stage.close()
  }
}

async function oneCompany(options: Options, surroundings: Surroundings): Promise<Finding[]> {
  const { progress, onLeave } = surroundings
  return onStage(surroundings, { records: 10_000, companies: 1 }, options, async (stage, bench) => {
    const { product, floor, about } = stage
    const peer =
      options.peer === null
        ? null
        : await systemOf(
            'peer',
            await startPeer(options.peer, about.layout),
            join(import.meta.dirname, '../adapters/peer.ts'),
          )
    if (peer) onLeave(peer.server.stop)
    const findings: Finding[] = []
    for (const [connections, least] of [
      [32, 1.5],
      [1, 0.5],
    ] as const) {
      progress.say(`Keyed creates of one company over ${connections} connections …`)
      const figures = await measure(
        bench,
        peer ? [product, peer, floor] : [product, floor],
        'create-keyed',
        connections,
      )
      findings.push(besidePeer(figures, connections, least))
    }
    await peer?.server.stop()
    progress.say('Transactions, HOT updates and processor time …')
    findings.push(...(await transactions(stage, bench)), await hotShare(stage, bench))
    const update = (await measure(bench, [product], 'update', 32)).product
    findings.push({
      ...{
        about: 'update: processor time of PostgreSQL, µs',
        got: update?.databaseCpuMicroseconds ?? null,
        asked: null,
      },
      note: 'asked in instructions, which this machine may not count',
    })
    findings.push(await ofFloor(bench, stage, 'batch', 1, 1.2, 'databaseCpuMicroseconds'))
    findings.push(await ofFloor(bench, stage, 'fetch', 32, 1.7, 'both'))
    // Last, because the others request records that these delete.
    findings.push(await deletesBesideUpdates(stage, bench))
    return findings
  })
}

function besidePeer(figures: { [system: string]: Figures }, connections: number, least: number): Finding {
  const { product, peer, floor } = figures
  return {
    about: `keyed create beside the Go backend, ${callersOf(connections)}`,
    got: product && peer ? product.perSecond / peer.perSecond : null,
    asked: { least },
    note: `${formatNumber(product?.perSecond)}/s beside ${peer ? `${formatNumber(peer.perSecond)}/s` : 'none (--peer FILE)'}; floor ${formatNumber(floor?.perSecond)}/s`,
  }
}

const callersOf = (connections: number): string => (connections === 1 ? '1 caller' : `${connections} callers`)

/** Counts the statements that insert or change projects, and their rows. Each statement is its own transaction. */
async function transactions(stage: Stage, bench: Bench): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [work, verb] of [
    ['create-keyed', 'insert into'],
    ['update', 'update'],
  ] as const) {
    for (const connections of [32, 1]) {
      let share: number | null = null
      await timeInDatabase(bench.postgres, bench.database, async () => {
        await runWork(bench, stage.product, work, connections, 1000)
        const [row] = await bench.postgres.sql<{ share: number | null }>(
          `select sum(s.calls)::float8 / nullif(sum(s.rows), 0) as share
          from pg_stat_statements s join pg_database d on d.oid = s.dbid
          where d.datname = $1 and s.query ~ $2`,
          [bench.database, `${verb} "?projects"? `],
        )
        share = row?.share ?? null
      })
      findings.push({
        about: `transactions per ${work === 'update' ? 'update' : 'create'}, ${callersOf(connections)}`,
        ...{ got: share, asked: { most: connections === 1 ? 1 : 0.35 }, note: '' },
      })
    }
  }
  return findings
}

/** Measures the share of updates of a field without an index that PostgreSQL did within their page (HOT). */
async function hotShare(stage: Stage, bench: Bench): Promise<Finding> {
  const client = new pg.Client(bench.postgres.connection(stage.database))
  await client.connect()
  const counted = async () => {
    // A process publishes its counts when a transaction ends, at most once a second.
    await wait(1500)
    await runWork(bench, stage.product, 'update', 32, 50)
    await wait(1500)
    const { rows } = await client.query<{ all: number; hot: number }>(
      `select n_tup_upd::float8 as all, n_tup_hot_upd::float8 as hot from pg_stat_user_tables where relname = 'projects'`,
    )
    return rows[0] as { all: number; hot: number }
  }
  try {
    const before = await counted()
    await runWork(bench, stage.product, 'update', 32, 2000)
    const after = await counted()
    const all = after.all - before.all
    return {
      about: 'share of updates that are HOT',
      ...{
        got: all === 0 ? null : (after.hot - before.hot) / all,
        asked: { least: 0.8 },
        note: `${formatNumber(all)} updates`,
      },
    }
  } finally {
    await client.end()
  }
}

const deletions = 600

/** Compares the processor time of deletes and of updates, for records that nothing refers to. */
async function deletesBesideUpdates({ product, about }: Stage, bench: Bench): Promise<Finding> {
  const headers = { Authorization: `Bearer ${about.tokens[1]}`, 'Content-Type': 'application/json' }
  const first = (round: number) => 1000 + 2 * round * deletions
  const cost = async (from: number, init: RequestInit): Promise<number> => {
    const before = spentOn(product, bench)
    for (let index = from; index < from + deletions; index++) {
      const id = idOf(about.layout.projects, 1, index)
      const response = await fetch(`${product.server.url}/v1/projects/${id}`, { headers, ...init })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`${init.method} of project ${id} answered ${response.status}`)
    }
    return spentOn(product, bench) - before
  }
  let updated = 0
  let deleted = 0
  for (let round = 0; round < 4; round++) {
    const body = JSON.stringify({ budget_minor: round + 1 })
    const spent = [
      await cost(first(round), { method: 'PATCH', body }),
      await cost(first(round) + deletions, { method: 'DELETE' }),
    ] as const
    // The first round compiles.
    if (round > 0) {
      updated += spent[0]
      deleted += spent[1]
    }
  }
  const micros = (seconds: number): string => `${formatNumber((seconds * 1e6) / (3 * deletions))} µs`
  return {
    ...{ about: 'delete beside an update, processor time of both', got: deleted / updated, asked: { most: 1.2 } },
    note: `${micros(deleted)} beside ${micros(updated)}`,
  }
}

/** Returns the processor seconds of the service and of PostgreSQL until now. */
const spentOn = ({ server }: System, { postmaster }: Bench): number =>
  ((server.pid && usageOf(server.pid)?.cpuSeconds) || 0) + ((postmaster && childrenCpuSeconds(postmaster)) || 0)

/** Returns the processor time of the product divided by the floor's. */
async function ofFloor(
  bench: Bench,
  { product, floor }: Stage,
  work: WorkName,
  connections: number,
  most: number,
  whose: 'databaseCpuMicroseconds' | 'both',
): Promise<Finding> {
  const figures = await measure(bench, [product, floor], work, connections)
  const of = (name: string): number | null => {
    const { cpuMicroseconds, databaseCpuMicroseconds } = figures[name] ?? {}
    if (cpuMicroseconds == null || databaseCpuMicroseconds == null) return null
    return databaseCpuMicroseconds + (whose === 'both' ? cpuMicroseconds : 0)
  }
  const [own, least] = [of('product'), of('floor')]
  const unit = work === 'batch' ? batchRows : 1
  const each = (micros: number | null): string => `${formatNumber(micros === null ? null : micros / unit, 1)} µs`
  return {
    about:
      work === 'batch'
        ? 'batch beside a bare multi-row insert, processor time of PostgreSQL'
        : 'fetch beside the pipelined floor, processor time of both',
    got: own === null || least === null ? null : own / least,
    asked: { most },
    note: `${each(own)} beside ${each(least)}${unit === 1 ? '' : ' a row'}`,
  }
}

/** Measures thirty-two callers of sixteen companies. */
const sixteenCompanies = (options: Options, surroundings: Surroundings): Promise<Finding[]> =>
  onStage(surroundings, { records: 16_000, companies: 16 }, options, async ({ product, floor }, bench) => {
    surroundings.progress.say('Keyed creates of sixteen companies …')
    const figures = await measure(bench, [product, floor], 'create-keyed', 32)
    const [own, least] = [figures.product?.perSecond, figures.floor?.perSecond]
    return [
      {
        about: 'keyed create of 16 companies beside a bare insert, 32 callers',
        got: own && least ? own / least : null,
        ...{ asked: null, note: `${formatNumber(own)}/s beside ${formatNumber(least)}/s` },
      },
    ]
  })

/**
 * Measures twelve callers that read one list of 300,000 records sorted by a text, and then twelve pages of it, while
 * another company reads its first page.
 */
const sortedLists = (options: Options, surroundings: Surroundings): Promise<Finding[]> =>
  onStage(surroundings, { records: 600_000, companies: 2 }, options, async ({ product, about }) => {
    surroundings.progress.say('Twelve lists of 300,000 records sorted by a text …')
    const list = async (company: number, query: string): Promise<{ status: number; milliseconds: number }> => {
      const from = performance.now()
      const headers = { Authorization: `Bearer ${about.tokens[company]}` }
      const response = await fetch(`${product.server.url}/v1/projects${query}`, { headers })
      await response.arrayBuffer()
      return { status: response.status, milliseconds: performance.now() - from }
    }
    const others: number[] = []
    const askTogether = async (queries: readonly string[]): Promise<Pick<Finding, 'got' | 'note'>> => {
      let isOver = false
      const over = Promise.all(queries.map((query) => list(1, query))).finally(() => {
        isOver = true
      })
      while (!isOver) {
        others.push((await list(2, '')).milliseconds)
        await wait(20)
      }
      const answers = await over
      const slowest = Math.max(...answers.map(({ milliseconds }) => milliseconds))
      return {
        got: answers.filter(({ status }) => status === 200).length,
        note: `the last after ${formatNumber(slowest / 1000, 1)} s`,
      }
    }
    const once = await askTogether(Array<string>(12).fill('?sort=-name'))
    const pages = await askTogether(Array.from({ length: 12 }, (_, index) => `?sort=-name&offset=${index}`))
    return [
      { about: 'one sort=-name of 300,000 records asked twelve times, answered 200', asked: { least: 12 }, ...once },
      { about: 'twelve pages of it, answered 200', asked: null, ...pages },
      {
        ...{ about: 'first page of another company meanwhile, slowest, s', asked: { most: 0.5 } },
        got: Math.max(...others) / 1000,
        note: `${others.length} pages`,
      },
    ]
  })
