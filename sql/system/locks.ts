import type { Sql } from 'sql-template-tag'
import { companyRow } from '../access.ts'
import { type Expressions, prepareStatement, query, type Statement, sql } from '../statement.ts'
import type { CallerSource } from './caller.ts'
import { answerOf, type KeyAsk, lockKey } from './stored-responses.ts'

/** The locks that a write takes before it locks a row: the gate of its company, then unique values. Decisions, Locks. */

/** Takes the company's gate as writes do, shared. A waiting revocation gets it before every later write. */
export const passGate = (companyId: number): Statement =>
  query('gate.pass')`select pg_advisory_xact_lock_shared(hashtext('tokens'), ${companyId % 2 ** 31}::int)`

/** Takes the company's gate alone, as every revocation of rights does before it locks a row. */
export const closeGate = (companyId: number): Statement =>
  query('gate.close')`select pg_advisory_xact_lock(hashtext('tokens'), ${companyId % 2 ** 31}::int)`

/** An advisory lock of a unique value, or of a bucket of values. */
export type ValueLock = { key: string; isShared: boolean }

/** Takes the locks in the given order. */
export const takeValues = (companyId: number, locks: readonly ValueLock[]): Statement =>
  prepareStatement(null, 'values.take', { companyId, ...valuesOf(locks) }, (given) =>
    takenWhere(companyRow(given.companyId), given),
  )

/** Locks sums by their keys, in the given order. */
export const takeSums = (companyId: number, keys: readonly string[]): Statement =>
  query('sums.take')`select pg_advisory_xact_lock(key)
    from ${companyRow(companyId)} one cross join unnest(${keys}::bigint[]) wanted (key)`

/**
 * Takes the locks for a write that will run: its caller is live, and its key is claimed by this transaction and has no
 * answer yet. Any other takes none and waits for none.
 */
export function takeValuesOfWrite<Values extends { companyId: number }>(
  { name, live, values }: CallerSource<Values>,
  key: KeyAsk | undefined,
  locks: readonly ValueLock[],
): Statement {
  if (!key) {
    return prepareStatement(null, `${name}values.take-of-caller`, { ...values, ...valuesOf(locks) }, (given) =>
      takenWhere(live(given), given),
    )
  }
  return prepareStatement(null, `${name}values.take-keyed`, { ...values, ...key, ...valuesOf(locks) }, (given) => {
    const answer = sql`select from (${answerOf(given.companyId, given.key)}) answer where not is_over`
    const source = sql`(select from ${live(given)} caller where ${lockKey(given.lock)} and not exists (${answer}) offset 0)`
    return takenWhere(source, given)
  })
}

const valuesOf = (locks: readonly ValueLock[]) => ({
  locks: locks.map(({ key }) => key),
  areShared: locks.map(({ isShared }) => isShared),
})

const takenWhere = (source: Sql, { locks, areShared }: Expressions<ReturnType<typeof valuesOf>>): Sql =>
  sql`select case when is_shared then pg_advisory_xact_lock_shared(key) else pg_advisory_xact_lock(key) end
    from ${source} one cross join unnest(${locks}::bigint[], ${areShared}::boolean[]) wanted (key, is_shared)`
