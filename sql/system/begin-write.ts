import { type Prefetch, prefetchedRow } from '../prefetch.ts'
import { type Statement, sql, statement } from '../statement.ts'
import { type AnswerRow, answerOf, type KeyAsk, lockKey } from './answers.ts'
import { type CallerAsk, type CallerRow, callerOf } from './caller.ts'

/** The caller, the answer that the key has had (nulls where it has none), and what the work has to see. */
export type BeginRow<Seen> = CallerRow & { [column in keyof AnswerRow]?: AnswerRow[column] | null } & { seen: Seen }

/**
 * The first statement of a write. The caller's token is held `for share`, so that a revocation waits for this
 * transaction, and once it has been answered no write of the old token commits (Decisions, Tokens). The rest is for
 * an authorized caller: nothing is shown to or held for anybody else. Nor is anything held for a call that is not
 * going to work, because its key is in flight or has its answer: such a call never waits.
 */
export function beginWrite(ask: CallerAsk, key: KeyAsk | undefined, prefetch: Prefetch | null): Statement {
  const passes = sql`live and address_allowed and lacks_scope is null and feature_off is null`
  const [ours, earlier, unanswered] = key
    ? [
        sql`case when ${passes} then ${lockKey(key.lock)} end`,
        sql`, earlier as materialized (${answerOf(ask.companyId, key.key)} and exists (select from passed))`,
        sql` and not exists (select from earlier)`,
      ]
    : [passes, sql``, sql``]
  return statement(
    sql`with caller as materialized (${callerOf(ask, 'for share')}
    ), passed as materialized (select from caller where ${ours})${earlier}
    select ${key ? sql`earlier.*, ` : sql``}caller.*,
      case when exists (select from passed)${unanswered} then ${prefetch ? prefetchedRow(prefetch.query) : sql`null`} end as seen
    from caller${key ? sql` left join earlier on true` : sql``}`,
    `${prefetch?.name ?? 'nothing'}.begin${key ? '-keyed' : ''}`,
  )
}
