import type { Sql } from 'sql-template-tag'
import { companyRow } from '../access.ts'
import { query, type Statement, sql, statement } from '../statement.ts'
import { type CallerAsk, ofToken } from './caller.ts'
import { answerOf, type KeyAsk, lockKey } from './stored-responses.ts'
import { isLive } from './tokens.ts'

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
 * Takes the locks for a call that will run: its token is live, and its key is claimed by this transaction and has no
 * answer yet. Any other call takes none and waits for none.
 */
export function takeValuesOfCall(ask: CallerAsk, key: KeyAsk | undefined, locks: readonly ValueLock[]): Statement {
  const token = sql`select from (select * from tokens ${ofToken(ask.companyId, ask.tokenHash)}) t where ${isLive()}`
  return key
    ? statement(
        takenWhere(
          sql`(${token} and ${lockKey(key.lock)} and not exists (select from (${answerOf(ask.companyId, key.key)}) answer where not is_over) offset 0)`,
          locks,
        ),
        'values.take-keyed',
      )
    : statement(takenWhere(sql`(${token} offset 0)`, locks), 'values.take-of-token')
}

const takenWhere = (source: Sql, locks: readonly ValueLock[]): Sql =>
  sql`select case when is_shared then pg_advisory_xact_lock_shared(key) else pg_advisory_xact_lock(key) end
    from ${source} one cross join unnest(${locks.map(({ key }) => key)}::bigint[], ${locks.map(({ isShared }) => isShared)}::boolean[])
      wanted (key, is_shared)`
