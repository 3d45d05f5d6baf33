import { raw, type Sql } from 'sql-template-tag'
import { equalsIndexed, inOrderOf } from '../access.ts'
import { emptyThere, freeThere } from '../citus/webhook-room.ts'
import { eitherSql, type Statement, sql, statement } from '../statement.ts'
import { sweepOlder, sweepStatement } from './sweep.ts'
import { attemptRowBytes, hasArrived } from './webhook-attempts.ts'

/** The limits of stored attempts in days and bytes, and the order of their removal. */

export const sweepWebhookAttempts = (keptDays: number, most: number): Statement =>
  sweepOlder({ name: 'webhook-attempts.sweep', table: 'webhook_attempts', key: 'id', type: 'bigint', most, keptDays })

/** Returns the condition that the last attempt of an endpoint meets `condition`. */
const newestOf = (condition: Sql) =>
  eitherSql(
    sql`exists (
      select from (
        select at from webhook_attempts where company_id = w.company_id and ${equalsIndexed(sql`endpoint_id`, raw('w.id'))}
        order by endpoint_id desc, id desc limit 1
      ) newest where ${condition}
    )`,
    () => sql`exists (
      select from webhook_attempts a where a.company_id = w.company_id and a.endpoint_id = w.id and ${condition}
    )`,
  )

const companiesWhere = (condition: Sql, after: number, most: number) =>
  sql`select distinct w.company_id as id from webhook_endpoints w where w.company_id > ${after} and ${condition}
    order by id limit ${most}`

/** Reads the next companies whose endpoints were sent to in the last seconds. */
export const companiesThatSend = (seconds: number, after: number, most: number): Statement =>
  statement(
    companiesWhere(newestOf(sql`at > now() - make_interval(secs => ${seconds}::float8)`), after, most),
    'webhook-attempts.sending-companies',
  )

/** Reads the next companies with attempts of deleted endpoints. */
export const companiesWithDeleted = (keptDays: number, after: number, most: number): Statement =>
  statement(
    companiesWhere(
      sql`w.deleted_at > now() - make_interval(days => ${keptDays}::int) and ${newestOf(sql`true`)}`,
      after,
      most,
    ),
    'webhook-attempts.deleted-companies',
  )

/** Removes attempts of a company's deleted endpoints. Returns a row for each. */
export const sweepAttemptsOfDeleted = (companyId: number, most: number): Statement =>
  sweepStatement({
    name: 'webhook-attempts.sweep-deleted',
    ...{ table: 'webhook_attempts', key: 'id', type: 'bigint', most },
    where: sql`where company_id = ${companyId} and endpoint_id = any (array(
      select id from webhook_endpoints where company_id = ${companyId} and deleted_at is not null
    )) order by endpoint_id, id`,
  })

/**
 * Removes up to `most` attempts of a company with more bytes of them than `budget`: the oldest successes, then the
 * oldest failures. Its endpoints store the time since which none was removed. One index has the sum and the order.
 */
export const freeAttempts = (companyId: number, budget: number, most: number): Statement => {
  /** Selects the attempts to remove first, as many as exceed the budget. */
  const excessOf = (columns: Sql) => sql`select ${columns} from (
        select ${columns}, sum(bytes) over (order by arrived desc, number rows unbounded preceding) - bytes as before from (
          select ${columns}, id as number, ${hasArrived} as arrived, coalesce(bytes, 0) as bytes
          from webhook_attempts where company_id = ${companyId}
          order by ${hasArrived} desc, webhook_attempts.id limit ${most}
        ) first
      ) running where before < (
        select coalesce(sum(bytes), 0) from (
          select bytes from webhook_attempts where company_id = ${companyId} ${inOrderOf(sql`${hasArrived} desc`, sql`id`)}
        ) every
      ) - ${budget}::bigint`
  return statement(
    sql`with gone as (
      delete from webhook_attempts where ctid = any (array(
        select ctid from (${excessOf(raw('ctid'))}) excess
      )) returning endpoint_id, at
    ), held as (
      select id from webhook_endpoints
      where company_id = ${companyId} and id = any (array(select distinct endpoint_id from gone))
      order by id for no key update
    ), kept as (
      update webhook_endpoints w
      set attempts_from = greatest(attempts_from, (select max(at) from gone where endpoint_id = w.id))
      where company_id = ${companyId} and id = any (array(select id from held))
    )
    select 1 as swept from gone`,
    'webhook-attempts.free',
    freeThere(companyId, excessOf(sql`id, endpoint_id, at`)),
  )
}

/** Empties attempts of an earlier version, which stored whole requests and answers. Returns a row for each. */
export const emptyOlderAttempts = (most: number): Statement =>
  statement(
    sql`update webhook_attempts set ${emptied} where ctid = any (array(
      select ctid from webhook_attempts where bytes is null order by company_id, id limit ${most} for update skip locked
    )) returning 1 as swept`,
    'webhook-attempts.empty',
    emptyThere(emptied, most),
  )

const emptied = sql`request_headers = '{}', request_body = '', answer_headers = null, answer_body = null,
      answer_cut = false, bytes = ${raw(String(attemptRowBytes))}`
