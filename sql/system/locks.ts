import type { Sql } from 'sql-template-tag'
import { companyRow } from '../access.ts'
import { query, type Statement, sql, statement } from '../statement.ts'
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
  statement(takenWhere(companyRow(companyId), locks), 'values.take')

/**
 * Takes the locks for a write that will run: its caller is live, and its key is claimed by this transaction and has no
 * answer yet. Any other takes none and waits for none.
 */
export function takeValuesOfWrite(
  { name, live, values: { companyId } }: CallerSource,
  key: KeyAsk | undefined,
  locks: readonly ValueLock[],
): Statement {
  if (!key) return statement(takenWhere(live, locks), `${name}values.take-of-caller`)
  const isFree = sql`${lockKey(key.lock)} and not exists (select from (${answerOf(companyId, key.key)}) answer where not is_over)`
  return statement(
    takenWhere(sql`(select from ${live} caller where ${isFree} offset 0)`, locks),
    `${name}values.take-keyed`,
  )
}

const takenWhere = (source: Sql, locks: readonly ValueLock[]): Sql =>
  sql`select case when is_shared then pg_advisory_xact_lock_shared(key) else pg_advisory_xact_lock(key) end
    from ${source} one cross join unnest(${locks.map(({ key }) => key)}::bigint[], ${locks.map(({ isShared }) => isShared)}::boolean[])
      wanted (key, is_shared)`
