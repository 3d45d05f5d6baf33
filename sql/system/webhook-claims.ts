import { raw } from 'sql-template-tag'
import { companyRow, inOrderOf } from '../access.ts'
import { eitherSql, query, type Statement, sql, statement } from '../statement.ts'
import { type Cursor, horizon, newestEpoch } from './log.ts'
import { atPlace, type DisableRequest, type EndpointRow, endpointColumns, endpointRow } from './webhooks.ts'

/** The endpoints with events to send, and the state that their senders store. */

export type SettledRow = Pick<EndpointRow, 'pending' | 'paused_until' | 'next_attempt_at' | 'failing_since'> & {
  cursor: Cursor
}
export type Claim = { companyId: number; id: number; claim: string }

const claimedEndpoint = ({ companyId, id, claim }: Claim) =>
  eitherSql(
    sql`ctid = any (array(
    select w.ctid from ${endpointRow(companyId, id)} w where w.claim = ${claim}::uuid
  ))`,
    () => sql`company_id = ${companyId} and id = ${id} and claim = ${claim}::uuid`,
  )

/** An endpoint that is due, with the add-ons of its company, which limit the events. */
export type DueRow = { company_id: number; id: number; add_ons: string[] }
export type ClaimedRow = EndpointRow & Pick<DueRow, 'add_ons'>

/**
 * Reads endpoints with events to send that no process has claimed, by their keys, of the companies after one: a waiting
 * one when it is due, the others when the log goes on behind their cursor. `now` is the service's clock.
 */
export const dueWebhooks = (afterCompany: number, { now, most }: { now: Date; most: number }): Statement =>
  query('webhooks.due')`
    select w.company_id, w.id, c.add_ons from webhook_endpoints w ${withCompany}
    where w.company_id > ${afterCompany} and ${free} and 'api' = any (c.add_ons)
      and (w.paused_until is null or w.paused_until <= ${now})
      and (w.next_attempt_at <= ${now} or w.next_attempt_at is null and exists (${news}))
    order by w.company_id, w.id limit ${most}`

const withCompany = eitherSql(
  sql`cross join lateral ${companyRow(raw('w.company_id'))} c`,
  () => sql`join companies c on c.id = w.company_id`,
)

/** The next change behind the cursor. Where companies are distributed it may not yet be complete; the turn waits then. */
const news = eitherSql(
  sql`select from (
        select id from history where company_id = w.company_id
          and (epoch, pos, id) > (w.cursor_epoch, w.cursor_pos, w.cursor_id)
          and (epoch, pos) < (${newestEpoch}, ${horizon})
        order by company_id, epoch, pos, id limit 1
      ) news`,
  () => sql`select from history h where h.company_id = w.company_id
        and (h.epoch, h.pos, h.id) > (w.cursor_epoch, w.cursor_pos, w.cursor_id)`,
)

const free = sql`w.disabled_at is null and w.deleted_at is null and (w.claimed_until is null or w.claimed_until < now())`

type Key = { company_id: number; id: number }

/** Claims those endpoints that are free, and returns them, at the time of the database that processes share. */
export const claimWebhooks = (keys: readonly Key[], claim: string, leaseSeconds: number): Statement => {
  const claiming = sql`claim = ${claim}::uuid, claimed_until = now() + make_interval(secs => ${leaseSeconds})`
  return statement(
    sql`update webhook_endpoints set ${claiming} where ctid = any (array(
      select w.ctid from unnest(${keys.map((one) => one.company_id)}::bigint[], ${keys.map(({ id }) => id)}::bigint[]) wanted (company_id, id)
        cross join lateral (
          select ctid, * from webhook_endpoints
          where company_id = wanted.company_id and id = wanted.id for update skip locked offset 0
        ) w
      where ${free}
    )) returning ${endpointColumns}`,
    'webhooks.claim',
    async (run) => {
      const rows: EndpointRow[] = []
      for (const { company_id, id } of keys)
        rows.push(
          ...(await run<EndpointRow>(
            query('webhooks.claim-one')`update webhook_endpoints w set ${claiming}
          where company_id = ${company_id} and id = ${id} and ${free} returning ${endpointColumns}`,
          )),
        )
      return rows
    },
  )
}

/** Stores the cursor of an endpoint and extends the claim, if the process still holds the claim. */
export const settleWebhook = (
  claim: Claim,
  { cursor, pending, paused_until, next_attempt_at, failing_since }: SettledRow,
  leaseSeconds: number,
): Statement =>
  query('webhooks.settle')`
    update webhook_endpoints set ${atPlace(cursor)}, log_line = ${cursor.line}, pending = ${JSON.stringify(pending)}::json,
      paused_until = ${paused_until}, next_attempt_at = ${next_attempt_at}, failing_since = ${failing_since},
      claimed_until = now() + make_interval(secs => ${leaseSeconds})
    where ${claimedEndpoint(claim)} returning id`

/** Marks that the log has begun anew: records of the receiver may no longer exist. */
export const markResync = (claim: Claim, epoch: number, now: Date): Statement =>
  query('webhooks.mark-resync')`
    update webhook_endpoints set log_epoch = ${epoch}, resync_since = ${now} where ${claimedEndpoint(claim)} returning id`

export const releaseWebhook = (claim: Claim): Statement =>
  query('webhooks.release')`
    update webhook_endpoints set claim = null, claimed_until = null where ${claimedEndpoint(claim)} returning id`

/** Releases a claim that its turn has outlived. The endpoint counts as failing until something arrives. */
export const releaseOutlived = (claim: Claim, now: Date): Statement =>
  query('webhooks.release-outlived')`
    update webhook_endpoints set claim = null, claimed_until = null, failing_since = coalesce(failing_since, ${now})
    where ${claimedEndpoint(claim)} returning id`

/** The claims in force, those not renewed for longer than a request takes, and the longest such time, or 0. */
export type ClaimFigures = { in_force: number; silent: number; silent_seconds: number }

export const claimFigures = (leaseSeconds: number, silentSeconds: number): Statement =>
  query(
    'webhooks.claims',
  )`select count(*) as in_force, count(*) filter (where silent_seconds > ${silentSeconds}) as silent,
      coalesce(max(silent_seconds) filter (where silent_seconds > ${silentSeconds}), 0) as silent_seconds
    from (
      select ${leaseSeconds}::float8 - extract(epoch from claimed_until - now())::float8 as silent_seconds from (
        select * from webhook_endpoints ${inOrderOf(sql`company_id`, sql`id`)}
      ) w where deleted_at is null and claimed_until > now()
    ) claims`

export const giveUpWebhook = (claim: Claim, { reason, detail, now }: DisableRequest): Statement =>
  query('webhooks.give-up')`
    update webhook_endpoints set disabled_at = ${now}, disabled_because = ${reason}, disabled_detail = ${detail}
    where ${claimedEndpoint(claim)} returning id`
