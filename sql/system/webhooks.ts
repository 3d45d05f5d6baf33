import { raw } from 'sql-template-tag'
import type { DisableReason, Payload } from '#registry/webhooks.ts'
import { inOrderOf } from '../access.ts'
import { eitherSql, query, type Statement, sql, statement } from '../statement.ts'
import { currentEpoch, currentLine, eventId, type Position } from './log.ts'

/** The webhook endpoints of companies, and their settings. */

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
  log_line: number | null
  resync_since: Date | null
  pending: { [eventId: string]: 'arrived' | { tries: number; due: string } }
  paused_until: Date | null
  next_attempt_at: Date | null
  failing_since: Date | null
  disabled_at: Date | null
  disabled_because: DisableReason | null
  disabled_detail: string | null
  /** The responsible account: only changes that it may see are sent. Null for the operator. */
  account_id: number | null
  created_at: Date
  /** Whether a replay has not yet reached the position that the cursor had before it. */
  is_replaying: boolean
  /** Some attempts before this moment were removed, because the company had too many. */
  attempts_from: Date | null
}

const isReplaying = sql`coalesce((cursor_epoch, cursor_pos, cursor_id) < (replay_epoch, replay_pos, replay_id), false)`

export const endpointColumns = sql`company_id, id, name, url, events, payload, ordered, previous_until, cursor_epoch,
  cursor_pos::text as cursor_pos, cursor_id, log_epoch, log_line, resync_since, pending, paused_until, next_attempt_at, failing_since, disabled_at, disabled_because, disabled_detail, account_id, created_at,
  attempts_from, ${isReplaying} as is_replaying`

export const endpointRow = (companyId: number, id: number, lock = '') =>
  sql`(select ctid, * from webhook_endpoints where company_id = ${companyId} and id = ${id} ${raw(lock)} offset 0)`

export const atPlace = ({ epoch, pos, id }: Position) =>
  sql`cursor_epoch = ${epoch}, cursor_pos = ${pos}::text::xid8, cursor_id = ${id}`

const placeOf = (companyId: number, id: number) =>
  eitherSql(
    sql`ctid = any (array(select w.ctid from ${endpointRow(companyId, id)} w where w.deleted_at is null))`,
    () => sql`company_id = ${companyId} and id = ${id} and deleted_at is null`,
  )

/** Locks the endpoints of a company: one change of them runs at a time. */
export const lockWebhooks = (companyId: number): Statement =>
  statement(sql`select pg_advisory_xact_lock(hashtext('webhooks'), ${companyId % 2 ** 31}::int)`)

export const webhooksOf = (companyId: number): Statement =>
  query('webhooks.list')`select ${endpointColumns} from (
      select * from webhook_endpoints where company_id = ${companyId} ${inOrderOf(sql`id`)}
    ) w where deleted_at is null order by id`

export const findWebhook = (companyId: number, id: number): Statement =>
  query('webhooks.find')`select ${endpointColumns} from ${endpointRow(companyId, id)} w where deleted_at is null`

/** Reads an endpoint and locks it for a change. A process that sends loses its claim, and stops. */
export const holdWebhook = (companyId: number, id: number): Statement =>
  query('webhooks.hold')`
    select ${endpointColumns} from ${endpointRow(companyId, id, 'for no key update')} w where deleted_at is null`

/** Draws the id of an endpoint, which the seal of its secret is bound to, before its row is inserted. */
export const nextWebhookId = (): Statement =>
  statement(sql`select nextval(pg_get_serial_sequence('webhook_endpoints', 'id')) as id`)

type Settings = Pick<EndpointRow, 'name' | 'url' | 'events' | 'payload' | 'ordered' | 'account_id'>

/**
 * Inserts an endpoint. A transaction that is open holds the cursor back, before changes that have committed. Up to 1000
 * of them, of the `records` that it is sent, count as arrived.
 */
export const insertWebhook = (
  companyId: number,
  endpoint: Settings & { id: number; sealed: Buffer; cursor: Position; records: readonly string[] },
): Statement => {
  const { epoch, pos, id } = endpoint.cursor
  return statement(sql`insert into webhook_endpoints as w (company_id, id, name, url, events, payload, ordered, account_id, sealed,
      cursor_epoch, cursor_pos, cursor_id, log_epoch, log_line, pending)
    select c.id, ${endpoint.id}::bigint, ${endpoint.name}, ${endpoint.url}, ${endpoint.events}::text[], ${endpoint.payload}, ${endpoint.ordered}::boolean, ${endpoint.account_id}::bigint, ${endpoint.sealed}::bytea, ${epoch}::int,
      ${pos}::text::xid8, ${id}::bigint, ${currentEpoch(companyId)}, ${currentLine(companyId)}, (
        select coalesce(json_object_agg(${eventId}, 'arrived'), '{}') from (
          select epoch, id from history where company_id = ${companyId} and (epoch, pos) >= (${epoch}::int, ${pos}::text::xid8)
            and records = any (${endpoint.records}::text[])
          order by company_id, epoch, pos, id limit 1000
        ) h
      ) from companies c where c.id = ${companyId}
    returning ${endpointColumns}`)
}

/** Updates an endpoint. Events that failed with the former settings are retried at once. */
export const updateWebhook = (
  companyId: number,
  id: number,
  { name, url, events, payload, ordered, account_id }: Settings,
): Statement =>
  statement(sql`update webhook_endpoints set name = ${name}, url = ${url}, events = ${events}, payload = ${payload},
      ordered = ${ordered}, account_id = ${account_id}, paused_until = null, next_attempt_at = null, claim = null, claimed_until = null,
      pending = (
        select coalesce(json_object_agg(key, value), '{}') from json_each(pending) where value::text = '"arrived"'
      )
    where ${placeOf(companyId, id)} returning ${endpointColumns}`)

/** Rotates the secret. The former one signs beside the new one for a time; the one before that no longer does. */
export const rotateSecret = (
  companyId: number,
  id: number,
  { sealed, previous, until }: { sealed: Buffer; previous: Buffer; until: Date },
): Statement =>
  statement(sql`update webhook_endpoints set sealed = ${sealed}, previous_sealed = ${previous},
      previous_until = ${until}, claim = null, claimed_until = null
    where ${placeOf(companyId, id)} returning ${endpointColumns}`)

export type SecretRow = { sealed: Buffer; previous_sealed: Buffer | null }

/** Reads the secrets that sign at a moment. */
export const secretsOf = (companyId: number, id: number, now: Date): Statement =>
  query('webhooks.secrets')`select sealed, case when previous_until > ${now} then previous_sealed end as previous_sealed
    from ${endpointRow(companyId, id)} w where deleted_at is null`

export type DisableRequest = { reason: DisableReason; detail: string | null; now: Date }

/** Disables an endpoint. A process that sends loses its claim, and stops. */
export const disableWebhook = (companyId: number, id: number, { reason, detail, now }: DisableRequest): Statement =>
  statement(sql`update webhook_endpoints set disabled_at = ${now}, disabled_because = ${reason}, disabled_detail = ${detail},
      claim = null, claimed_until = null
    where ${placeOf(companyId, id)} returning ${endpointColumns}`)

export const beginWebhookAt = (
  companyId: number,
  id: number,
  { cursor, account_id }: Pick<Settings, 'account_id'> & { cursor: Position },
): Statement =>
  statement(sql`update webhook_endpoints set ${atPlace(cursor)}, pending = '{}', paused_until = null,
      next_attempt_at = null, failing_since = null, disabled_at = null, disabled_because = null, disabled_detail = null, account_id = ${account_id},
      log_epoch = ${currentEpoch(companyId)}, log_line = ${currentLine(companyId)}, resync_since = null, claim = null, claimed_until = null
    where ${placeOf(companyId, id)} returning ${endpointColumns}`)

/** Marks a replay. It ends at the current cursor, unless an interrupted one ends later. */
export const markReplay = (companyId: number, id: number): Statement =>
  statement(sql`update webhook_endpoints set replay_epoch = cursor_epoch, replay_pos = cursor_pos, replay_id = cursor_id
    where ${placeOf(companyId, id)} and not ${isReplaying}`)

/** Deletes an endpoint. Its secrets are deleted at once, its attempts by the next sweep. */
export const deleteWebhook = (companyId: number, id: number): Statement =>
  statement(sql`update webhook_endpoints set deleted_at = now(), sealed = null, previous_sealed = null, claim = null,
      claimed_until = null
    where ${placeOf(companyId, id)} returning id`)

export type FailingRow = Pick<
  EndpointRow,
  'id' | 'name' | 'failing_since' | 'disabled_because' | 'disabled_detail' | 'resync_since'
> & { is_unanswered: boolean }

/** Reads the endpoints of a company that need attention. */
export const failingWebhooks = (companyId: number): Statement =>
  query('webhooks.failing')`select id, name, failing_since, disabled_because, disabled_detail, resync_since,
      account_id is null and disabled_at is null as is_unanswered from (
      select * from webhook_endpoints where company_id = ${companyId} ${inOrderOf(sql`id`)}
    ) w where deleted_at is null and (
      failing_since is not null or disabled_because <> 'by_hand' or resync_since is not null
      or account_id is null and disabled_at is null
    ) order by id`

/** The state of all endpoints of the service. `failing_seconds` is the longest time that one has failed; 0 for none. */
export type WebhookFigures = {
  well: number
  failing: number
  given_up: number
  disabled: number
  resync: number
  /** Enabled endpoints without a responsible account. */
  unanswered: number
  failing_seconds: number
}

export const webhookFigures = (): Statement =>
  query('webhooks.figures')`select count(*) filter (where disabled_at is null and failing_since is null) as well,
      count(*) filter (where disabled_at is null and failing_since is not null) as failing,
      count(*) filter (where disabled_because <> 'by_hand') as given_up,
      count(*) filter (where disabled_because = 'by_hand') as disabled,
      count(resync_since) as resync,
      count(*) filter (where disabled_at is null and account_id is null) as unanswered,
      coalesce(greatest(extract(epoch from clock_timestamp() - min(failing_since) filter (where disabled_at is null)), 0), 0)::float8
        as failing_seconds
    from (select * from webhook_endpoints ${inOrderOf(sql`company_id`, sql`id`)}) w where deleted_at is null`
