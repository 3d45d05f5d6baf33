import { registry } from '#registry/resources/index.ts'
import type { Database, Transaction } from '#server/store/database.ts'
import { holdStrengths, lockOrder } from '#sql/records/lock-order.ts'
import type { Statement } from '#sql/statement.ts'

/** A lock that a statement takes: the stage of the order, and within it the table and id of a record or the key of a value. */
type Lock = { stage: number; place: number; id: bigint; strength: number; name: string }

const stages = ['gate', 'keys', 'deeds', 'buckets', 'values', 'records', 'sums', 'trees', 'numbers', 'counts'] as const
type StageName = (typeof stages)[number]

/** Rows of callers and of the company are locked under the gate, and no writer waits for them. */
const underTheGate = ['tokens', 'sessions', 'accounts', 'companies']
const deeds = ['imports', 'undos', 'removals']

/**
 * Watches all transactions of a database. What each locks has to follow the order; whatever does not is told in
 * `violations`, with the statements that took both locks.
 */
export function watchLocks(database: Database): { violations: string[]; statements: Set<string> } {
  const violations: string[] = []
  const statements = new Set<string>()
  const original = database.transaction
  database.transaction = (work, share, options) =>
    original((transaction) => work(watched(transaction, (text) => violations.push(text), statements)), share, options)
  return { violations, statements }
}

function watched(transaction: Transaction, tell: (violation: string) => void, statements: Set<string>): Transaction {
  let held = new Map<string, { lock: Lock; by: string }>()
  let last: { lock: Lock; by: string } | undefined
  const { reserve } = inOrder()
  const take = (statement: Statement, rows: readonly unknown[]): void => {
    const by = statement.name ?? statement.text.slice(0, 60)
    // Nobody else knows a record that is made here.
    const [, table] = /^(\w+)\.insert(?:-shown)?$/.exec(by) ?? []
    const place = lockOrder(registry).indexOf(table ?? '')
    if (place >= 0)
      for (const { id } of JSON.parse(statement.values[0] as string) as { id: number }[]) {
        const lock = {
          stage: stages.indexOf('records'),
          place,
          id: BigInt(id),
          strength: holdStrengths.length,
          name: `${table} ${id}`,
        }
        held.set(`${lock.stage} ${lock.place} ${lock.id}`, { lock, by })
      }
    for (const lock of locksOf(statement, rows as Row[])) {
      statements.add(by)
      const key = `${lock.stage} ${lock.place} ${lock.id}`
      const before = held.get(key)
      if (before && before.lock.strength < lock.strength)
        tell(`${lock.name} is locked more strongly by ${by} than before by ${before.by}`)
      if (before && before.lock.strength >= lock.strength) continue
      held.set(key, { lock, by })
      if (last && compare(last.lock, lock) > 0)
        tell(`${lock.name} by ${by} comes behind ${last.lock.name} by ${last.by}`)
      else last = { lock, by }
    }
  }
  // What is only sent has no rows to be seen, and no id of its locks is read from them.
  return {
    ...transaction,
    run: async <One>(statement: Statement): Promise<One[]> => {
      const place = reserve()
      const rows = await transaction.run<One>(statement)
      place.settle(() => take(statement, rows))
      return rows
    },
    send: (statement) => {
      reserve().settle(() => take(statement, []))
      transaction.send(statement)
    },
    undo: () => {
      reserve().settle(() => {
        held = new Map()
        last = undefined
      })
      transaction.undo()
    },
  }
}

/** Judges statements in the order in which they were asked, each when its rows are there. */
function inOrder(): { reserve(): { settle(judge: () => void): void } } {
  const waiting: { judge?: () => void }[] = []
  return {
    reserve() {
      const place: { judge?: () => void } = {}
      waiting.push(place)
      return {
        settle(judge) {
          place.judge = judge
          while (waiting[0]?.judge) waiting.shift()?.judge?.()
        },
      }
    },
  }
}

const compare = (one: Lock, other: Lock): number =>
  one.stage - other.stage || one.place - other.place || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)

type Row = { [column: string]: unknown; seen?: { [column: string]: unknown } | null }

const locksOf = ({ text, values, name = '' }: Statement, rows: Row[]): Lock[] => {
  const at = (stage: StageName, lockName: string, more: Partial<Lock> = {}): Lock => ({
    ...{ stage: stages.indexOf(stage), place: 0, id: 0n, strength: 0, name: lockName },
    ...more,
  })
  if (name.startsWith('gate.')) return [at('gate', 'the gate', { strength: name === 'gate.close' ? 1 : 0 })]
  if (name === 'batch.lock') return [at('keys', 'a batch')]
  if (name === 'tree.lock') return [at('trees', `tree ${values[0]}`, { id: BigInt(String(values[0]).length) })]
  if (name === 'sums.take')
    return (values.find(Array.isArray) as string[]).map((key) => at('sums', `sum ${key}`, { id: BigInt(key) }))
  if (name.startsWith('values.take')) {
    const keys = values.find((value) => Array.isArray(value) && typeof value[0] === 'string') as string[]
    const shared = values.find((value) => Array.isArray(value) && typeof value[0] === 'boolean') as boolean[]
    const isSingle = shared.includes(true)
    return keys.map((key, index) =>
      at(isSingle && !shared[index] ? 'values' : 'buckets', `value ${key}`, {
        id: BigInt(key),
        strength: shared[index] ? 0 : 1,
      }),
    )
  }
  if (/pg_advisory_xact_lock/.test(text) && !/sealing keys/.test(text)) throw new Error(`an unknown lock: ${text}`)
  if (/insert into numbers/.test(text))
    return [values.find((value) => Array.isArray(value)) ?? [values[1]]]
      .flat()
      .map((records) => at('numbers', `number ${records}`, { id: rankOf(String(records)) }))
  if (name === 'plan.hold-slots')
    return (values[0] as string[]).map((records) => at('counts', `count ${records}`, { id: rankOf(records) }))
  if (/update plan_usage/.test(text))
    return [at('counts', 'a count', { id: rankOf(String(values[2] ?? '')) })].map((lock) => {
      const records = values.find((value) => value === 'projects' || value === 'workers')
      return { ...lock, name: `count ${records}`, id: rankOf(String(records)) }
    })
  const found = rowLocks(text, values, rows)
  return found.flatMap(({ table, ids, strength }) => {
    if (underTheGate.includes(table)) return []
    if (deeds.includes(table)) return [at('deeds', table, { place: deeds.indexOf(table), strength })]
    const place = lockOrder(registry).indexOf(table)
    if (place < 0) return table === 'plan_usage' || table === 'numbers' ? [] : unknown(table, text)
    return ids.map((id) => at('records', `${table} ${id}`, { place, id: BigInt(id), strength }))
  })
}

const unknown = (table: string, text: string): never => {
  throw new Error(`${table} is locked, and has no place in the order: ${text}`)
}

/** By its name, alphabetically. */
const rankOf = (records: string): bigint =>
  BigInt(
    registry
      .map(({ name }) => name)
      .toSorted()
      .indexOf(records),
  )

/** `place` is where in the text PostgreSQL comes to it: a common table expression is run when its rows are read. */
type RowLock = { table: string; ids: number[]; strength: number; place: number }

/** Returns the locking clauses of a text: the table whose rows each locks, and how strongly. */
export const clausesOf = (text: string): { table: string; strength: number; index: number }[] =>
  [...text.matchAll(/for (key share|share|no key update|update)(?= offset|\)|\n|\s*$| ?[a-z)])/g)].map((match) => {
    const [, table = ''] = [...text.slice(0, match.index).matchAll(/from (\w+)/g)].at(-1) ?? []
    return { table, strength: holdStrengths.indexOf(match[0] as (typeof holdStrengths)[number]), index: match.index }
  })

/** The locks of rows, in the order in which the text takes them. */
function rowLocks(text: string, values: readonly unknown[], rows: Row[]): RowLock[] {
  const locks = clausesOf(text).map(({ table, strength, index }): RowLock => {
    const before = text.slice(0, index)
    const condition = before.slice(before.lastIndexOf('where'))
    const place = Math.max(index, text.indexOf(`select * from related_${table}`))
    return { table, strength, place, ids: idsOf(condition, { text, before, table, values, rows, strength }) }
  })
  if (/^insert into undos/.test(text.trim())) locks.push({ table: 'undos', ids: [], strength: 0, place: 0 })
  // A statement that locks many at once, as holdInOrder does, takes them by id and not by strength.
  const isMany = locks.length === holdStrengths.length && locks.every(({ table }) => table === locks[0]?.table)
  if (!isMany) return locks.toSorted((one, other) => one.place - other.place)
  return locks
    .flatMap(({ ids, ...lock }) => ids.map((id) => ({ ...lock, ids: [id] })))
    .toSorted((one, other) => (one.ids[0] as number) - (other.ids[0] as number))
}

type Around = {
  text: string
  /** The text that stands before the lock. */
  before: string
  table: string
  values: readonly unknown[]
  rows: Row[]
  strength: number
}

function idsOf(condition: string, { text, before, table, values, rows, strength }: Around): number[] {
  const parameter = (number: string | undefined): unknown =>
    number === undefined ? undefined : values[Number(number) - 1]
  const seen = rows[0]?.seen
  // What a look-up of all that refers to a record finds says of which resource it is.
  const related = rows.filter(({ records }) => records === table).map(({ id }) => id as number)
  if (/wanted\.hold = \$/.test(condition)) {
    const [ids, strengths] = values.filter((value) => Array.isArray(value)) as [number[], number[]]
    return ids.filter((_, index) => strengths[index] === strength)
  }
  if (/id = wanted\.id/.test(condition)) {
    if (seen?.family) return seen.family as number[]
    const given = [...before.matchAll(/unnest\(\$(\d+)::bigint\[\]\) id/g)].at(-1)
    const known = (parameter(given?.[1]) ?? []) as number[]
    return [...new Set([...known, ...related])].toSorted((one, other) => one - other)
  }
  if (related.length > 0) return related
  const [, of] = /(?<!company_)id = coalesce\(\$(\d+)::bigint/.exec(condition) ?? []
  const [, field] = /, one\.(\w+)\)/.exec(condition) ?? []
  const [, plain] = /(?<!company_)id = \$(\d+)/.exec(condition) ?? []
  const self = /referred\.self/.test(condition) ? parameter(/\$(\d+)::bigint as id\) self/.exec(text)?.[1]) : undefined
  const id = self ?? parameter(plain) ?? parameter(of) ?? (field ? seen?.[`${field}__was`] : undefined)
  if (typeof id !== 'number') return []
  const [, sign, than] = /and id (<|>=) (?:\$(\d+)|r\.id)/.exec(condition) ?? []
  const other = sign === '>=' ? parameter(/\$(\d+)::bigint as id\) self/.exec(text)?.[1]) : parameter(than)
  if (typeof other === 'number' && (sign === '<' ? id >= other : id < other)) return []
  return [id]
}
