import pg from 'pg'
import { registry } from '#registry/resources/index.ts'
import type { Database, Transaction } from '#server/store/database.ts'
import { referencesOf } from '#sql/records/columns.ts'
import { holdStrengths, lockOrder } from '#sql/records/lock-order.ts'
import type { Statement } from '#sql/statement.ts'
import { clausesOf } from './lock-recorder.ts'
import type { Server } from './postgres.ts'

/**
 * Finds the locked rows of all records by trying them from a second session, whoever took the locks: a statement of the
 * service, a foreign key, a trigger. `lock-recorder.ts` reads the texts of statements, and sees none of the latter.
 */
export type RowLocks = {
  violations: string[]
  /** Whether transactions are watched. */
  isOn: boolean
  /** Rows that were found locked, and statements behind which locks were looked for. */
  seen: { locks: number; statements: number }
  close(): Promise<void>
}

/** Strengths of held locks by the name of a row. */
type Held = Map<string, number>

const order = lockOrder(registry)

/**
 * Watches all transactions of a database, one at a time, and looks for new locks behind each of their statements. A
 * statement without a locking clause may lock no row that is not locked as strongly already. New locks come behind those
 * of former statements in the lock order, and none gets stronger.
 */
export async function watchRowLocks(database: Database, server: Server): Promise<RowLocks> {
  const { workers: _, ...config } = server
  const prober = new pg.Client(config)
  await prober.connect()
  const violations: string[] = []
  const seen = { locks: 0, statements: 0 }
  const original = database.transaction
  const inTurn = createTurn()
  const locks: RowLocks = {
    isOn: true,
    violations,
    seen,
    close: async () => {
      database.transaction = original
      await prober.end()
    },
  }
  database.transaction = (work, share, options) => {
    if (!locks.isOn) return original(work, share, options)
    return inTurn(() =>
      original(
        async (transaction) => {
          const { watched, settled } = watch(transaction, async (before, statement) => {
            const now = await locksNow(prober)
            seen.statements++
            seen.locks += now.size
            violations.push(...judge(before, now, statement))
            return now
          })
          try {
            return await work(watched)
          } finally {
            await settled()
          }
        },
        share,
        options,
      ),
    )
  }
  return locks
}

function createTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work)
    last = next.catch(() => undefined)
    return next
  }
}

type Look = (before: Held, statement: Statement) => Promise<Held>

/** Returns the transaction with each statement by itself, and a look behind it. */
function watch(transaction: Transaction, look: Look) {
  const inTurn = createTurn()
  let held: Held = new Map()
  let failure: { error: unknown } | undefined
  const run = <Row>(statement: Statement): Promise<Row[]> =>
    inTurn(async () => {
      const rows = await transaction.run<Row>(statement)
      held = await look(held, statement)
      return rows
    })
  const watched: Transaction = {
    ...transaction,
    run,
    send: (statement) => {
      run(statement).catch((error: unknown) => {
        failure ??= { error }
      })
    },
    undo: () => {
      void inTurn(async () => {
        transaction.undo()
        held = new Map()
      })
    },
  }
  return {
    watched,
    /** Waits for what was only sent. Throws its failure, as the commit would. */
    async settled() {
      await inTurn(async () => undefined)
      if (failure) throw failure.error
    },
  }
}

/**
 * Returns the locked rows that are visible to others: tried by the weakest lock first, each is locked as this forbids. Only
 * rows are tried that a transaction has locked or written: PostgreSQL notes that in the row, as `xmax`.
 */
async function locksNow(prober: pg.Client): Promise<Held> {
  const all = await namesOf(prober, '')
  const held: Held = new Map()
  const forbiddenBy = [...holdStrengths].toReversed()
  for (const [strength, hold] of forbiddenBy.entries()) {
    const free = new Set(await namesOf(prober, `${hold} skip locked`))
    const locked = all.filter((name) => !free.has(name))
    if (locked.length === 0) break
    for (const name of locked) held.set(name, strength)
  }
  return held
}

/** Returns the rows, locked for as long as the statement takes. It is prepared: to plan it takes longer than to run it. */
async function namesOf(prober: pg.Client, lock: string): Promise<string[]> {
  const parts = order.map(
    (table) => `select '${table} ' || id as name from (select id from ${table} where xmax <> '0' ${lock}) ${table}`,
  )
  const { rows } = await prober.query<{ name: string }>({ name: `rows ${lock}`, text: parts.join(' union all ') })
  return rows.map(({ name }) => name)
}

function judge(before: Held, now: Held, statement: Statement): string[] {
  const by = statement.name ?? statement.text.trim().slice(0, 80)
  const clauses = clausesOf(statement.text)
  const emptied = emptiedBy(by)
  const fresh = [...now].filter(
    ([name, strength]) => strength > (before.get(name) ?? -1) && !emptied.includes(name.split(' ')[0] as string),
  )
  const last = [...before.keys()].toSorted(compare).at(-1)
  return fresh.flatMap(([name, strength]) => {
    const [table] = name.split(' ')
    const shown = `${name} ${holdStrengths[strength]}`
    if (!clauses.some((one) => one.table === table && one.strength >= strength)) return [`${by} locks ${shown} unnamed`]
    if (before.has(name)) return [`${by} locks ${shown}, which was locked less strongly`]
    return last !== undefined && compare(name, last) < 0 ? [`${by} locks ${shown} behind ${last}`] : []
  })
}

/**
 * Returns the resources whose deleted records an erasure writes: its foreign key empties their reference. All writes that
 * wait with such a record locked have locked the erased one before. Decisions, Locks.
 */
function emptiedBy(statement: string): string[] {
  const [, erased] = /^(\w+)\.erase$/.exec(statement) ?? []
  return registry.filter((one) => referencesOf(one).some(([, { to }]) => to === erased)).map(({ name }) => name)
}

/** Compares the names of rows by the lock order. */
function compare(one: string, other: string): number {
  const [[table, id], [otherTable, otherId]] = [one, other].map((name) => name.split(' ')) as [string[], string[]]
  return order.indexOf(table as string) - order.indexOf(otherTable as string) || Number(id) - Number(otherId)
}
