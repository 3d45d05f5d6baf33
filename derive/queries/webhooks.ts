import { raw } from 'sql-template-tag'
import type { DisableReason, Payload } from '#registry/webhooks.ts'
import { companyRow, inOrderOf } from './access.ts'
import type { Position } from './changes.ts'
import { currentEpoch, horizon } from './log.ts'
import { type Statement, sql, statement } from './statement.ts'

/** Where changes are sent: the endpoints of companies, and which of them has something to be sent. */

export type EndpointRow = {
  company_id: number
  id: number
  name: string
  url: string
  events: string[]
  payload: Payload
  ordered: boolean
  previous_until: Date | null
  cursor_epoch: number
  cursor_pos: string
  cursor_id: number
  log_epoch: number
  resync_since: Date | null
  pending: { [eventId: string]: 'arrived' | { tries: number; due: string } }
  paused_until: Date | null
  next_attempt_at: Date | null
  failing_since: Date | null
  disabled_at: Date | null
  disabled_because: DisableReason | null
  created_at: Date
}

const columns = sql`company_id, id, name, url, events, payload, ordered, previous_until, cursor_epoch,
  cursor_pos::text as cursor_pos, cursor_id, log_epoch, resync_since, pending, paused_until, next_attempt_at, failing_since, disabled_at, disabled_because, created_at`

/** An endpoint that is not deleted, by its key, as a source of rows. */
const live = (companyId: number, id: number, lock = '') =>
  sql`(select ctid, * from webhook_endpoints where company_id = ${companyId} and id = ${id} ${raw(lock)} offset 0)`

const at = ({ epoch, pos, id }: Position) =>
  sql`cursor_epoch = ${epoch}, cursor_pos = ${pos}::text::xid8, cursor_id = ${id}`

const placeOf = (companyId: number, id: number) =>
  sql`ctid = any (array(select w.ctid from ${live(companyId, id)} w where w.deleted_at is null))`

/**
 * The first change of a company that began at a moment or later, in the order of the log. It is looked for behind the
 * last mark before that moment, where there is one.
 */
export const firstSince = (companyId: number, moment: Date): Statement =>
  statement(
    sql`select h.epoch, h.pos::text as pos, h.id from (
      select epoch, pos from log_marks where at <= ${moment} order by at desc limit 1
    ) mark right join (select) one on true cross join lateral (
      select * from history
      where company_id = ${companyId} and (epoch, pos) >= (coalesce(mark.epoch, 0), coalesce(mark.pos, '0'::xid8))
        and at >= ${moment}
      order by company_id, epoch, pos, id limit 1
    ) h`,
    'webhooks.first-since',
  )

/** One change of a company's endpoints at a time. */
export const lockWebhooks = (companyId: number): Statement =>
  statement(sql`select pg_advisory_xact_lock(hashtext('webhooks'), ${companyId % 2 ** 31}::int)`)

export const webhooksOf = (companyId: number): Statement =>
  statement(
    sql`select ${columns} from (
      select * from webhook_endpoints where company_id = ${companyId} ${inOrderOf(sql`id`)}
    ) w where deleted_at is null order by id`,
    'webhooks.list',
  )

export const findWebhook = (companyId: number, id: number): Statement =>
  statement(sql`select ${columns} from ${live(companyId, id)} w where deleted_at is null`, 'webhooks.find')

/** Held for a change of it; whoever is sending finds his claim gone, and stops. */
export const holdWebhook = (companyId: number, id: number): Statement =>
  statement(
    sql`select ${columns} from ${live(companyId, id, 'for no key update')} w where deleted_at is null`,
    'webhooks.hold',
  )

/** The id is bound into the seal of the secret, so it is known before the row is. */
export const nextWebhookId = (): Statement =>
  statement(sql`select nextval(pg_get_serial_sequence('webhook_endpoints', 'id')) as id`)

type Settings = Pick<EndpointRow, 'name' | 'url' | 'events' | 'payload' | 'ordered'>

export const insertWebhook = (
  companyId: number,
  {
    id,
    name,
    url,
    events,
    payload,
    ordered,
    sealed,
    cursor,
  }: Settings & { id: number; sealed: Buffer; cursor: Position },
): Statement =>
  statement(sql`insert into webhook_endpoints (company_id, id, name, url, events, payload, ordered, sealed,
      cursor_epoch, cursor_pos, cursor_id, log_epoch)
    values (${companyId}, ${id}, ${name}, ${url}, ${events}, ${payload}, ${ordered}, ${sealed}, ${cursor.epoch},
      ${cursor.pos}::text::xid8, ${cursor.id}, ${currentEpoch})
    returning ${columns}`)

/** What was tried with the former settings and has not arrived is tried again at once. */
export const updateWebhook = (
  companyId: number,
  id: number,
  { name, url, events, payload, ordered }: Settings,
): Statement =>
  statement(sql`update webhook_endpoints set name = ${name}, url = ${url}, events = ${events}, payload = ${payload},
      ordered = ${ordered}, paused_until = null, next_attempt_at = null, claim = null, claimed_until = null,
      pending = (
        select coalesce(json_object_agg(key, value), '{}') from json_each(pending) where value::text = '"arrived"'
      )
    where ${placeOf(companyId, id)} returning ${columns}`)

/** The former secret signs beside the new one for a time; the one before it does no more. */
export const rotateSecret = (
  companyId: number,
  id: number,
  { sealed, previous, until }: { sealed: Buffer; previous: Buffer; until: Date },
): Statement =>
  statement(sql`update webhook_endpoints set sealed = ${sealed}, previous_sealed = ${previous},
      previous_until = ${until}, claim = null, claimed_until = null
    where ${placeOf(companyId, id)} returning ${columns}`)

export type SecretRow = { sealed: Buffer; previous_sealed: Buffer | null }

/** The secrets that sign at a moment. */
export const secretsOf = (companyId: number, id: number, now: Date): Statement =>
  statement(
    sql`select sealed, case when previous_until > ${now} then previous_sealed end as previous_sealed
    from ${live(companyId, id)} w where deleted_at is null`,
    'webhooks.secrets',
  )

export const disableWebhook = (companyId: number, id: number, reason: DisableReason, now: Date): Statement =>
  statement(sql`update webhook_endpoints set disabled_at = ${now}, disabled_because = ${reason}, claim = null,
      claimed_until = null
    where ${placeOf(companyId, id)} returning ${columns}`)

/** Begins at a place of the log, whatever came before. */
export const beginWebhookAt = (companyId: number, id: number, cursor: Position): Statement =>
  statement(sql`update webhook_endpoints set ${at(cursor)}, pending = '{}', paused_until = null,
      next_attempt_at = null, failing_since = null, disabled_at = null, disabled_because = null,
      log_epoch = ${currentEpoch}, resync_since = null, claim = null, claimed_until = null
    where ${placeOf(companyId, id)} returning ${columns}`)

/** Its attempts are kept as long as others; its secrets go. */
export const deleteWebhook = (companyId: number, id: number): Statement =>
  statement(sql`update webhook_endpoints set deleted_at = now(), sealed = null, previous_sealed = null, claim = null,
      claimed_until = null
    where ${placeOf(companyId, id)} returning id`)

export type FailingRow = Pick<EndpointRow, 'id' | 'name' | 'failing_since' | 'disabled_because' | 'resync_since'>

/** The endpoints of a company that somebody has to look at. */
export const failingWebhooks = (companyId: number): Statement =>
  statement(
    sql`select id, name, failing_since, disabled_because, resync_since from (
      select * from webhook_endpoints where company_id = ${companyId} ${inOrderOf(sql`id`)}
    ) w where deleted_at is null and (
      failing_since is not null or disabled_because <> 'by_hand' or resync_since is not null
    ) order by id`,
    'webhooks.failing',
  )

export type Settled = Pick<EndpointRow, 'pending' | 'paused_until' | 'next_attempt_at' | 'failing_since'> & {
  cursor: Position
}
export type Claim = { companyId: number; id: number; claim: string }

const claimed = ({ companyId, id, claim }: Claim) => sql`ctid = any (array(
    select w.ctid from ${live(companyId, id)} w where w.claim = ${claim}::uuid
  ))`

/** With the add-ons of its company, which say what may be told. */
export type ClaimedRow = EndpointRow & { add_ons: string[] }

/**
 * Marks endpoints that have something to be sent, by their keys after a place: one that waits when it is due, the others
 * when the log goes on behind their cursor. `now` is the service's clock; the claim is told by the database's, which all
 * processes share.
 */
export const claimWebhooks = (
  after: { companyId: number; id: number },
  { claim, now, leaseSeconds, most }: { claim: string; now: Date; leaseSeconds: number; most: number },
): Statement =>
  statement(
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
              and (epoch, pos) < (${currentEpoch}, ${horizon})
            order by company_id, epoch, pos, id limit 1
          ) news
        ) end
      order by w.company_id, w.id limit ${most} for update of w skip locked
    ))
    returning ${columns}, (
      select c.add_ons from ${companyRow(raw('webhook_endpoints.company_id'))} c
    ) as add_ons`,
    'webhooks.claim',
  )

/** Keeps how far an endpoint has come, for whoever still holds the claim, and the claim for longer. */
export const settleWebhook = (
  claim: Claim,
  { cursor, pending, paused_until, next_attempt_at, failing_since }: Settled,
  leaseSeconds: number,
): Statement =>
  statement(
    sql`update webhook_endpoints set ${at(cursor)}, pending = ${JSON.stringify(pending)}::json,
      paused_until = ${paused_until}, next_attempt_at = ${next_attempt_at}, failing_since = ${failing_since},
      claimed_until = now() + make_interval(secs => ${leaseSeconds})
    where ${claimed(claim)} returning id`,
    'webhooks.settle',
  )

/** The log has begun anew: what the receiver knows may be gone. */
export const markResync = (claim: Claim, epoch: number, now: Date): Statement =>
  statement(
    sql`update webhook_endpoints set log_epoch = ${epoch}, resync_since = ${now} where ${claimed(claim)} returning id`,
    'webhooks.mark-resync',
  )

export const releaseWebhook = (claim: Claim): Statement =>
  statement(
    sql`update webhook_endpoints set claim = null, claimed_until = null where ${claimed(claim)} returning id`,
    'webhooks.release',
  )

export const giveUpWebhook = (claim: Claim, reason: DisableReason, now: Date): Statement =>
  statement(
    sql`update webhook_endpoints set disabled_at = ${now}, disabled_because = ${reason}
    where ${claimed(claim)} returning id`,
    'webhooks.give-up',
  )
