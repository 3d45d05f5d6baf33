import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '#server/store/database.ts'
import { Fault } from '#server/store/faults.ts'
import { createBatchableRead } from '#sql/batchable.ts'
import { sql } from '#sql/statement.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

describe('Reads that ask at the same moment', () => {
  test('each get what their own token may see, whoever asks beside them', async () => {
    const companies = [
      await stage.company(),
      await stage.company(),
      await stage.company({ permissions: [], scopes: [] }),
    ]
    const ids = await Promise.all(companies.slice(0, 2).map((company) => idsOf(company, 3)))
    const calls = Array.from({ length: 240 }, (_, index) => {
      const company = companies[index % 3] as Company
      const id = ids[(index >> 2) % 2]?.[index % ids.length] as number
      return { company, path: index % 5 === 0 ? '/v1/clients' : `/v1/clients/${id}`, bad: index % 7 === 0 }
    })
    const ask = ({ company, path, bad }: (typeof calls)[number]) =>
      bad ? company.call('GET', path, { token: `plumb_live_${'0'.repeat(72)}` }) : company.get(path)
    const together = await Promise.all(calls.map(ask))
    for (const [index, call] of calls.entries()) {
      const alone = await ask(call)
      expect({ ...together[index]?.body, request_id: '' }).toEqual({ ...alone.body, request_id: '' })
      expect(together[index]?.status).toBe(alone.status)
    }
    expect(new Set(together.map(({ status }) => status))).toEqual(new Set([200, 401, 403, 404]))
  })

  test('are answered together, but by no more than a few statements of bounded size', async () => {
    const database = openStagesDatabase()
    try {
      const rows = await Promise.all(Array.from({ length: 100 }, (_, n) => database.read<Row>(numbered(n))))
      expect(rows.map(([row]) => row?.n)).toEqual(rows.map((_, n) => n))
      const statements = Map.groupBy(rows, ([row]) => `${row?.pid} ${row?.at}`)
      expect(statements.size).toBeLessThan(100)
      for (const those of statements.values()) expect(those.length).toBeLessThanOrEqual(32)
    } finally {
      await database.close()
    }
  })

  test('are answered one at a time where their answers are long, so that nobody waits for many of them', async () => {
    const database = openStagesDatabase()
    const ask = () => Promise.all(Array.from({ length: 12 }, () => database.read<Row>(long())))
    try {
      const statements = Map.groupBy(await ask(), ([row]) => `${row?.pid} ${row?.at}`)
      const together = [...statements.values()].map(({ length }) => length)
      expect(Math.max(...together)).toBeLessThanOrEqual(2)
      expect(statements.size).toBeGreaterThanOrEqual(11)
    } finally {
      await database.close()
    }
  })

  test('without a row that answers get none, and the others theirs', async () => {
    const database = openStagesDatabase()
    try {
      const rows = await Promise.all([1, -1, 2].map((n) => database.read<Row>(numbered(n))))
      expect(rows.map(([row]) => row?.n)).toEqual([1, undefined, 2])
    } finally {
      await database.close()
    }
  })

  test('do not wait for one whose statement hangs', async () => {
    const database = openStagesDatabase()
    const order: string[] = []
    await stage
      .inTransaction(async (transaction) => {
        await transaction.run({ text: 'select pg_advisory_xact_lock(4711)', values: [] })
        const hanging = database.read(held(1)).then(() => order.push('the one that hung'))
        await untilWaiting()
        await database.read(held(0)).then(() => order.push('the one beside it'))
        setImmediate(() => order.push('the lock is free'))
        return () => hanging
      })
      .then((hanging) => hanging())
    await database.close()
    expect(order).toEqual(['the one beside it', 'the lock is free', 'the one that hung'])
  })

  test('fail with their connection, and the next ones find another', async () => {
    const database = openStagesDatabase()
    await stage.inTransaction(async (transaction) => {
      await transaction.run({ text: 'select pg_advisory_xact_lock(4711)', values: [] })
      const lost = database.read(held(1)).catch((error: unknown) => error)
      await untilWaiting()
      await stage.sql(`select pg_terminate_backend(pid) ${waiting}`)
      expect(await lost).toBeInstanceOf(Fault)
    })
    expect(await database.read<Row>(numbered(7))).toMatchObject([{ n: 7 }])
    await database.close()
  })
})

test('A connection over which no answer comes is given up, and the next reads find another.', async () => {
  const lost: Error[] = []
  const database = openStagesDatabase({ statementTimeout: 500, onError: (error) => lost.push(error) })
  const [first] = await database.read<Row>(numbered(1))
  const { pid } = first as Row
  // It hears nothing of its own time limit either, as when the network is gone.
  process.kill(pid, 'SIGSTOP')
  try {
    const fault = await database.read(numbered(2)).catch((error: unknown) => error)
    expect(fault).toMatchObject({ code: 'unavailable', cause: { message: 'the database does not answer' } })
    expect(lost.map(({ message }) => message)).toContain('the database does not answer')
    const [next] = await database.read<Row>(numbered(3))
    expect(next).toMatchObject({ n: 3 })
    expect(next?.pid).not.toBe(pid)
  } finally {
    process.kill(pid, 'SIGCONT')
    await database.close()
  }
})

type Row = { n: number; pid: number; at: string }

/** Says which statement of which connection answered it; nothing answers a negative number. */
const numbered = (n: number) =>
  createBatchableRead({
    name: 'test.numbered',
    types: { n: 'bigint' },
    batchMax: 32,
    query: (asked) =>
      sql`select ${asked.n} as n, pg_backend_pid() as pid, statement_timestamp()::text as at where ${asked.n} >= 0`,
  })({ n })

/** As long as a page of a hundred long records. */
const long = () =>
  createBatchableRead({
    name: 'test.long',
    types: { n: 'bigint' },
    batchMax: 16,
    query: (asked) =>
      sql`select repeat('x', 1500000 + ${asked.n}::integer) as json, pg_backend_pid() as pid, statement_timestamp()::text as at`,
  })({ n: 1 })

/** Waits for a lock if it is 1. */
const held = (wait: 0 | 1) =>
  createBatchableRead({
    name: 'test.held',
    types: { wait: 'bigint' },
    batchMax: 32,
    query: (asked) => sql`select case when ${asked.wait} = 1 then pg_advisory_xact_lock(4711)::text end as held`,
  })({ wait })

const waiting = `from pg_locks join pg_database d on d.oid = database
  where datname = current_database() and locktype = 'advisory' and objid = 4711 and not granted`

const untilWaiting = () => expect.poll(() => stage.sql(`select 1 ${waiting}`), { timeout: 10_000 }).toHaveLength(1)

const openStagesDatabase = ({ statementTimeout = 10_000, onError = (_: Error): void => {} } = {}) =>
  openDatabase(
    stage.connection,
    { connectionsMax: 1, statementTimeout, lockTimeout: 10_000, connectTimeout: 5000 },
    onError,
  )

const idsOf = (company: Company, count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => company.create('clients', { name: `Client ${index}` })))
