import { raw } from 'sql-template-tag'
import { exactly, inOrderOf } from '../access.ts'
import { instant, type Statement, sql, statement } from '../statement.ts'
import type { Position } from './log.ts'
import { sweepOlder } from './sweep.ts'

/** What was sent to webhook endpoints, and what came back. */

export type AttemptRow = {
  company_id: number
  endpoint_id: number
  at: Date
  event: string
  event_id: string
  /** The position in the log before the event; a test has none. */
  after: Position | null
  by_hand: boolean
  ms: number
  status: number | null
  /** Why there was no answer, and the particulars. */
  failure: string | null
  detail: string | null
  request_headers: { readonly [name: string]: string }
  request_body: string
  /** All of them, where the body that is kept was cut. */
  request_bytes: number
  answer_headers: { readonly [name: string]: string } | null
  answer_body: string | null
  answer_cut: boolean
}

export const insertAttempt = (attempt: AttemptRow): Statement =>
  statement(
    sql`insert into webhook_attempts (company_id, endpoint_id, at, event, event_id, after, by_hand, ms, status, failure,
      detail, request_headers, request_body, request_bytes, answer_headers, answer_body, answer_cut)
    values (${attempt.company_id}, ${attempt.endpoint_id}, ${attempt.at}, ${attempt.event}, ${attempt.event_id},
      ${jsonOrNull(attempt.after)}::json, ${attempt.by_hand}, ${attempt.ms}, ${attempt.status}, ${attempt.failure},
      ${attempt.detail}, ${JSON.stringify(attempt.request_headers)}::json, ${attempt.request_body},
      ${attempt.request_bytes}, ${jsonOrNull(attempt.answer_headers)}::json, ${attempt.answer_body}, ${attempt.answer_cut})
    returning id`,
    'webhook-attempts.insert',
  )

const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

export type AttemptShown = Pick<
  AttemptRow,
  'endpoint_id' | 'event' | 'event_id' | 'by_hand' | 'ms' | 'status' | 'failure' | 'detail'
> & { id: number; at: string; arrived: boolean }

const shown = sql`id, endpoint_id, ${instant('at')} as at, event, event_id, by_hand, ms::float8 as ms, status, failure, detail,
  coalesce(status between 200 and 299, false) as arrived`

const ofEndpoint = (companyId: number, endpointId: number, failedAlone: boolean) =>
  sql`company_id = ${companyId} and ${exactly(sql`endpoint_id`, endpointId)}
      and (not ${failedAlone}::boolean or status is null or status not between 200 and 299)`

/** Newest first. */
export const attemptsOf = (
  companyId: number,
  endpointId: number,
  { failedAlone, limit, offset }: { failedAlone: boolean; limit: number; offset: number },
): Statement =>
  statement(
    sql`select ${shown} from webhook_attempts where ${ofEndpoint(companyId, endpointId, failedAlone)}
    order by endpoint_id desc, id desc limit ${limit} offset ${offset}`,
    'webhook-attempts.list',
  )

export const countAttempts = (companyId: number, endpointId: number, failedAlone: boolean): Statement =>
  statement(
    sql`select count(*) as total from (
      select from webhook_attempts where ${ofEndpoint(companyId, endpointId, failedAlone)}
      ${inOrderOf(raw('endpoint_id'), raw('id'))}
    ) counted`,
    'webhook-attempts.count',
  )

export type AttemptInFull = AttemptShown &
  Pick<
    AttemptRow,
    'after' | 'request_headers' | 'request_body' | 'request_bytes' | 'answer_headers' | 'answer_body' | 'answer_cut'
  >

export const findAttempt = (companyId: number, id: number): Statement =>
  statement(
    sql`select ${shown}, after, request_headers, request_body, request_bytes, answer_headers, answer_body, answer_cut
    from (
      select * from webhook_attempts where company_id = ${companyId} and ${exactly(sql`id`, id)} ${inOrderOf(sql`id`)}
    ) a`,
    'webhook-attempts.find',
  )

export const sweepWebhookAttempts = (keptDays: number, most: number): Statement =>
  sweepOlder('webhook_attempts', keptDays, most, 'webhook-attempts.sweep')
