import { raw } from 'sql-template-tag'
import { companyRow } from '../access.ts'
import { eitherSql, query, type Statement, type Steps, sql, statement } from '../statement.ts'
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

/** An endpoint with the add-ons of its company, which limit the events. */
export type ClaimedRow = EndpointRow & { add_ons: string[] }

/**
 * Claims endpoints with events to send, by their keys after a position: a waiting one when it is due, the others when
 * the log goes on behind their cursor. `now` is the service's clock. The time of the claim is the database's, which all
 * processes share.
 */
export const claimWebhooks = (after: { companyId: number; id: number }, claiming: ClaimRequest): Statement => {
  const { claim, now, leaseSeconds, most } = claiming
  return statement(
    sql`update webhook_endpoints set claim = ${claim}::uuid, claimed_until = now() + make_interval(secs => ${leaseSeconds})
    where ctid = any (array(
      select w.ctid from webhook_endpoints w
      where (w.company_id, w.id) > (${after.companyId}, ${after.id})
        and w.disabled_at is null and w.deleted_at is null
        and (w.claimed_until is null or w.claimed_until < now())
        and exists (select from ${companyRow(raw('w.company_id'))} c where 'api' = any (c.add_ons))
        and (w.paused_until is null or w.paused_until <= ${now})
        and case when w.next_attempt_at is not null then w.next_attempt_at <= ${now} else exists (
          select from (
            select id from history where company_id = w.company_id
              and (epoch, pos, id) > (w.cursor_epoch, w.cursor_pos, w.cursor_id)
              and (epoch, pos) < (${newestEpoch}, ${horizon})
            order by company_id, epoch, pos, id limit 1
          ) news
        ) end
      order by w.company_id, w.id limit ${most} for update of w skip locked
    ))
    returning ${endpointColumns}, (
      select c.add_ons from ${companyRow(raw('webhook_endpoints.company_id'))} c
    ) as add_ons`,
    'webhooks.claim',
    claimThere(after, claiming),
  )
}

type ClaimRequest = { claim: string; now: Date; leaseSeconds: number; most: number }

/** Finds endpoints among all companies, and claims them one by one. */
const claimThere =
  (after: { companyId: number; id: number }, { claim, now, leaseSeconds, most }: ClaimRequest): Steps =>
  async (run) => {
    const found = await run<{ company_id: number; id: number; add_ons: string[] }>(
      query('webhooks.due')`
        select w.company_id, w.id, c.add_ons from webhook_endpoints w join companies c on c.id = w.company_id
        where (w.company_id, w.id) > (${after.companyId}, ${after.id}) and ${free} and 'api' = any (c.add_ons)
          and (w.paused_until is null or w.paused_until <= ${now})
          and (w.next_attempt_at <= ${now} or w.next_attempt_at is null and exists (
            select from history h where h.company_id = w.company_id
              and (h.epoch, h.pos, h.id) > (w.cursor_epoch, w.cursor_pos, w.cursor_id)
          ))
        order by w.company_id, w.id limit ${most}`,
    )
    const rows: ClaimedRow[] = []
    for (const { company_id, id, add_ons } of found) {
      const [row] = await run<EndpointRow>(
        query('webhooks.claim-one')`
          update webhook_endpoints w set claim = ${claim}::uuid, claimed_until = now() + make_interval(secs => ${leaseSeconds})
          where company_id = ${company_id} and id = ${id} and ${free} returning ${endpointColumns}`,
      )
      if (row) rows.push({ ...row, add_ons })
    }
    return rows
  }

const free = sql`w.disabled_at is null and w.deleted_at is null and (w.claimed_until is null or w.claimed_until < now())`

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

export const giveUpWebhook = (claim: Claim, { reason, detail, now }: DisableRequest): Statement =>
  query('webhooks.give-up')`
    update webhook_endpoints set disabled_at = ${now}, disabled_because = ${reason}, disabled_detail = ${detail}
    where ${claimedEndpoint(claim)} returning id`
