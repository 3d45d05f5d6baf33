import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { asFault, Fault, isConflict, isConnectionLost } from '#server/store/faults.ts'
import { migrate, pendingMigrations } from '#server/store/migrate.ts'
import type { Server } from '../stage/postgres.ts'
import { pause } from '../stage/wait.ts'
import { restored, type Sql } from './restored.ts'
import { readSnapshot } from './snapshot.ts'

/** An older release serves while a newer one brings its database up to date. */

const projects = 4000

/** Records as an import makes them: each with its change in the history. */
const fill = `with made as (
    insert into projects (company_id, name, description, status)
    select (select max(id) from companies), 'Quay ' || n, repeat('Stone and mortar ', 20), 'ACTIVE'
    from generate_series(1, ${projects}) n returning company_id, id
  ) insert into history (company_id, door, records, record_id, action) select company_id, 'api', 'projects', id, 'created' from made`

/** The limits of a release that serves. */
const session =
  '-c lock_timeout=8000 -c statement_timeout=10000 -c plan_cache_mode=force_generic_plan -c enable_seqscan=off'

/**
 * What the older release asks, on one connection, until it is stopped. Parameters are null: each statement is planned and
 * takes its locks, and one that would write a row is refused for what the row lacks, which is an answer.
 */
async function ask(connection: Server, statements: readonly string[], place: number, stopped: () => boolean) {
  const client = new pg.Client({ ...connection, options: session })
  await client.connect()
  const answeredAt: number[] = []
  const errors = new Set<string>()
  try {
    for (let turn = place * 11; !stopped(); turn++) {
      const index = turn % statements.length
      const text = statements[index] as string
      const values = Array.from({ length: parametersOf(text) }, () => null)
      await pause(thinkMs)
      try {
        await client.query({ name: `s${index}`, text, values })
        // One of them is a real write, which waits for others as writes do.
        await client.query("update projects set notes = 'seen' where company_id = 1 and id = $1", [1 + (turn % 8)])
        answeredAt.push(performance.now())
      } catch (error) {
        if (isConnectionLost(error)) throw error
        if (isAnswer(error)) answeredAt.push(performance.now())
        else if (!(asFault(error) instanceof Fault) && !isConflict(error))
          errors.add(`${(error as Error).message}: ${text}`)
      }
    }
    return { answeredAt, errors: [...errors] }
  } finally {
    await client.end()
  }
}

/** Returns when another database of the server answered, which no migration holds up: its gaps are those of the machine. */
async function askElsewhere(stopped: () => boolean): Promise<number[]> {
  const { workers: _, ...server } = inject('server')
  const client = new pg.Client(server)
  await client.connect()
  const answeredAt: number[] = []
  try {
    while (!stopped()) {
      await pause(thinkMs)
      await client.query('select 1')
      answeredAt.push(performance.now())
    }
    return answeredAt
  } finally {
    await client.end()
  }
}

const parametersOf = (text: string): number => Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)))

/** Refused for its data (classes 22 and 23), which has nothing to do with what else goes on. */
const isAnswer = (error: unknown): boolean => /^2[23]/.test(String((error as { code?: unknown }).code))

/** The longest time without an answer, in milliseconds, from the beginning to the end. */
function longestGap(times: readonly number[], from: number, to: number): number {
  const sorted = [from, ...times.toSorted((a, b) => a - b), to]
  return Math.max(...sorted.slice(1).map((at, index) => at - (sorted[index] as number)))
}

/** A transaction that reads a table of records, and is left open. */
async function openReader(connection: Server, ms: number): Promise<void> {
  const reader = new pg.Client(connection)
  await reader.connect()
  onTestFinished(() => reader.end())
  await reader.query('begin')
  await reader.query('select count(*) from projects')
  setTimeout(() => void reader.query('rollback').catch(() => {}), ms)
}

/** Callers that never pause would measure the processors, which other tests use too. */
const thinkMs = 50
const gapMaxMs = 1000

test.for([0, 5000])(
  'Callers of 0.1.0 are answered all the time while its 4,000 projects are brought up to date, beside a reader open for %d ms.',
  { timeout: 120_000 },
  async (readerMs) => {
    const snapshot = await readSnapshot('0.1.0')
    const { connection, sql } = await restored(snapshot)
    await (sql as Sql)(fill)
    let isOver = false
    const asking = Promise.all(
      Array.from({ length: 8 }, (_, place) => ask(connection, snapshot.statements, place, () => isOver)),
    )
    const askingElsewhere = askElsewhere(() => isOver)
    // A test that is given up takes the database from them.
    for (const each of [asking, askingElsewhere]) each.catch(() => {})
    if (readerMs > 0) await openReader(connection, readerMs)
    const from = performance.now()
    await migrate(connection, () => {}).finally(() => {
      isOver = true
    })
    const to = performance.now()
    const results = await asking
    expect(results.flatMap(({ errors }) => errors)).toEqual([])
    const times = results.flatMap(({ answeredAt }) => answeredAt).filter((at) => at >= from && at <= to)
    const gap = longestGap(times, from, to)
    const gapElsewhere = longestGap(
      (await askingElsewhere).filter((at) => at >= from && at <= to),
      from,
      to,
    )
    // A machine with other work makes everybody wait, which is no gap of the migration.
    const stallMs = Math.max(0, gapElsewhere - thinkMs)
    if (process.env.SHOW_GAPS) console.info({ ms: to - from, answers: times.length, gap, stallMs })
    expect(gap - stallMs).toBeLessThan(gapMaxMs)
    if (readerMs > 0) expect(to - from).toBeGreaterThan(readerMs / 2)
    expect(await pendingMigrations(connection)).toEqual([])
  },
)
