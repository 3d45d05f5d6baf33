import type { Sql } from 'sql-template-tag'
import { companyRow } from '../access.ts'
import { type Expressions, prepareStatement, query, type Statement, sql } from '../statement.ts'
import { type CallerAsk, ofToken } from './caller.ts'
import { answerOf, type KeyAsk, lockKey } from './stored-responses.ts'
import { isLive } from './tokens.ts'

/** The locks that a write takes before it locks a row: the gate of its company, then unique values. Decisions, Locks. */

/**
 * Takes the company's gate as writes do, shared. A waiting revocation gets it before every later write, however many
 * there are.
 */
export const passGate = (companyId: number): Statement =>
  prepareStatement(
    'gate.pass',
    { gate: companyId % 2 ** 31 },
    ({ gate }) => sql`select pg_advisory_xact_lock_shared(hashtext('tokens'), ${gate}::int)`,
  )

/** Takes the company's gate alone, as every revocation of rights does before it locks a row. */
export const closeGate = (companyId: number): Statement =>
  query('gate.close')`select pg_advisory_xact_lock(hashtext('tokens'), ${companyId % 2 ** 31}::int)`

/** An advisory lock of a unique value, or of a bucket of values. */
export type ValueLock = { key: string; isShared: boolean }

/** Takes the locks in the given order. */
export const takeValues = (companyId: number, locks: readonly ValueLock[]): Statement =>
  prepareStatement('values.take', { companyId, ...listsOf(locks) }, (given) =>
    takenWhere(companyRow(given.companyId), given),
  )

/**
 * Takes the locks for a call that will run: its token is live, and its key is claimed by this transaction and has no
 * answer yet. Any other call takes none and waits for none.
 */
export function takeValuesOfCall(ask: CallerAsk, key: KeyAsk | undefined, locks: readonly ValueLock[]): Statement {
  const { companyId, tokenHash } = ask
  const values = { companyId, tokenHash, ...listsOf(locks) }
  const token = ({ companyId, tokenHash }: { companyId: Sql; tokenHash: Sql }) =>
    sql`select from (select * from tokens ${ofToken(companyId, tokenHash)}) t where ${isLive()}`
  return key
    ? prepareStatement('values.take-keyed', { ...values, ...key }, (given) => {
        const answer = sql`(${answerOf(given.companyId, given.key)}) answer where not is_over`
        return takenWhere(
          sql`(${token(given)} and ${lockKey(given.lock)} and not exists (select from ${answer}) offset 0)`,
          given,
        )
      })
    : prepareStatement('values.take-of-token', values, (given) => takenWhere(sql`(${token(given)} offset 0)`, given))
}

const listsOf = (locks: readonly ValueLock[]) => ({
  keys: locks.map(({ key }) => key),
  areShared: locks.map(({ isShared }) => isShared),
})

const takenWhere = (source: Sql, { keys, areShared }: Expressions<ReturnType<typeof listsOf>>): Sql =>
  sql`select case when is_shared then pg_advisory_xact_lock_shared(key) else pg_advisory_xact_lock(key) end
    from ${source} one cross join unnest(${keys}::bigint[], ${areShared}::boolean[])
      wanted (key, is_shared)`
