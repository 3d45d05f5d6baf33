import type { Sql } from 'sql-template-tag'
import { type Prefetch, prefetchedRow, type Statement, sql, statement } from '../statement.ts'
import { type CallerAsk, type CallerRow, callerOf } from './caller.ts'
import { answerOf, type KeyAsk, lockKey, type StoredResponseRow } from './stored-responses.ts'

/**
 * The caller, an answer that a key has had with the place of its row (nulls where there is none), and what the work has to
 * see. A row for each such answer, and one at least for a known caller.
 */
export type BeginRow<Seen> = CallerRow & { [column in keyof StoredResponseRow]?: StoredResponseRow[column] | null } & {
  place?: number | null
  is_over?: boolean | null
  seen: Seen
}

/**
 * The first statement of a write, which may have many rows: with a key each, or none with one. The caller's token is held
 * `for share`, so that a revocation waits for this transaction, and once it has been answered no write of the old token
 * commits (Decisions, Tokens). The rest is for an authorized caller: nothing is shown to or held for anybody else. Nor is
 * anything held for a row that is not going to be written, because its key is in flight or has its answer: such a call
 * never waits. `waits` is whether a token that is held otherwise is waited for.
 */
export function beginWrite(
  ask: CallerAsk,
  keys: readonly KeyAsk[],
  prefetch: Prefetch | null,
  waits = true,
): Statement {
  const isKeyed = keys.length > 0
  const passed = sql`exists (select from caller where live and address_allowed and lacks_scope is null and feature_off is null)`
  const seen = (among?: Sql): Sql => (prefetch ? prefetchedRow(prefetch.query(among)) : sql`null`)
  const rest = isKeyed
    ? sql`, asked as materialized (
      select given.place::int - 1 as place, given.key
      from unnest(${keys.map(({ key }) => key)}::text[], ${keys.map(({ lock }) => lock)}::bigint[]) with ordinality given (key, lock, place)
      where case when ${passed} then ${lockKey(sql`given.lock`)} end
    ), earlier as materialized (
      select asked.place, answer.* from asked cross join lateral (${answerOf(ask.companyId, sql`asked.key`)} offset 0) answer
    ), going as materialized (
      select place from asked where not exists (select from earlier where earlier.place = asked.place and not is_over)
    ) select earlier.*, caller.*, case when exists (select from going) then ${seen(sql`array(select place from going)`)} end as seen
    from caller left join earlier on true`
    : sql` select caller.*, case when ${passed} then ${seen()} end as seen from caller`
  return statement(
    sql`with caller as materialized (${callerOf(ask, waits ? 'for share' : 'for share skip locked')})${rest}`,
    `${prefetch?.name ?? 'nothing'}.begin${isKeyed ? '-keyed' : ''}${waits ? '' : '-skipping'}`,
  )
}
