import type { Sql } from 'sql-template-tag'
import { type Expressions, type Prefetch, prefetchedRow, prepareStatement, type Statement, sql } from '../statement.ts'
import type { CallerSource } from './caller.ts'
import { answerOf, type EarlierRow, type KeyAsk, lockKey } from './stored-responses.ts'

/**
 * The caller, a stored answer with the place of its row (nulls if there is none), and the prefetched row. There is a
 * row for each stored answer, and at least one for a known caller.
 */
export type BeginRow<Row, Seen> = Row & EarlierRow & { place?: number | null; seen: Seen }

/**
 * The first statement of a write of one or many rows, each with a key, or one without. It locks the token or the session
 * of the caller `for share`, so that a revocation waits for this transaction. Once the revocation is answered, no write
 * of the old token commits (Decisions, Tokens).
 * The rest is for an authorized caller: for others nothing is returned or locked. Nor is anything locked for a row that
 * will not be written, because its key is in flight or has its answer: such a call never waits. `waits` is whether to
 * wait for a token that is locked otherwise.
 */
export function beginWrite<Values extends { companyId: number }>(
  source: CallerSource<Values>,
  keys: readonly KeyAsk[],
  prefetch: Prefetch | null,
  waits = true,
): Statement {
  const values = {
    ...source.values,
    keys: keys.map(({ key }) => key),
    locks: keys.map(({ lock }) => lock),
    target: prefetch?.values.target ?? '',
  }
  const isKeyed = keys.length > 0
  const name = `${source.name}${prefetch?.name ?? 'nothing'}.begin${isKeyed ? '-keyed' : ''}${waits ? '' : '-skipping'}`
  return prepareStatement(prefetch?.of ?? null, name, values, (given) => {
    const caller = source.query(given, waits ? 'for share' : 'for share skip locked')
    return sql`
    with caller as materialized (${caller})${restOf(given, source, prefetch, isKeyed)}`
  })
}

type BeginValues = { companyId: number; keys: readonly string[]; locks: readonly string[]; target: string | number }

function restOf(
  given: Expressions<BeginValues>,
  { passes }: Pick<CallerSource, 'passes'>,
  prefetch: Prefetch | null,
  isKeyed: boolean,
): Sql {
  const passed = sql`exists (select from caller where ${passes})`
  const seen = (among?: Sql): Sql => (prefetch ? prefetchedRow(prefetch.query(given, among)) : sql`null`)
  if (!isKeyed) return sql` select caller.*, case when ${passed} then ${seen()} end as seen from caller`
  return sql`, asked as materialized (
      select given.place::int - 1 as place, given.key
      from unnest(${given.keys}::text[], ${given.locks}::bigint[]) with ordinality given (key, lock, place)
      where case when ${passed} then ${lockKey(sql`given.lock`)} end
    ), earlier as materialized (
      select asked.place, answer.* from asked cross join lateral (${answerOf(given.companyId, sql`asked.key`)} offset 0) answer
    ), going as materialized (
      select place from asked where not exists (select from earlier where earlier.place = asked.place and not is_over)
    ) select earlier.*, caller.*, case when exists (select from going) then ${seen(sql`array(select place from going)`)} end as seen
    from caller left join earlier on true`
}
