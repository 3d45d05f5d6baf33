import { raw, type Sql } from 'sql-template-tag'
import type { PageCut } from '#registry/listing.ts'
import type { Payload } from '#registry/webhooks.ts'
import { byKey, equalsIndexed, inOrderOf } from '../access.ts'
import { instant, query, type Statement, sql, statement } from '../statement.ts'
import { isAfterErasure } from './companies.ts'
import type { Position } from './log.ts'

/** Attempts: requests to webhook endpoints, and their responses. */

export type AttemptRow = {
  company_id: number
  endpoint_id: number
  at: Date
  event: string
  event_id: string
  /** The position in the log before the event; a test has none. */
  after: Position | null
  /** The form in which the event was sent; a test has none. */
  payload: Payload | null
  by_hand: boolean
  ms: number
  status: number | null
  /** The reason if there was no answer, and its details. */
  failure: string | null
  detail: string | null
  request_bytes: number
  request_sha256: Buffer
  /** The body of a test. The body of an event is recreated from the log. */
  test_body: string | null
  /** Headers and body of the answer of a failure; null after a success. */
  answer_headers: { readonly [name: string]: string } | null
  answer_body: string | null
  answer_cut: boolean
}

/** Inserts an attempt, without its answer if a person was erased since. The lock lets an erasure find it. */
export const insertAttempt = (attempt: AttemptRow): Statement =>
  statement(
    sql`insert into webhook_attempts (${columnsOfAttempt}, answer_headers, answer_body, answer_cut)
    select ${valuesOf(attempt)}, case when is_kept then ${jsonOrNull(attempt.answer_headers)}::json end,
      case when is_kept then ${attempt.answer_body}::text end, is_kept and ${attempt.answer_cut}::boolean
    from (${isKept(attempt)} offset 0) company
    returning id`,
    'webhook-attempts.insert',
    async (run) => {
      const [company] = await run<{ is_kept: boolean }>(statement(isKept(attempt), 'webhook-attempts.is-kept'))
      const kept = company?.is_kept
        ? attempt
        : { ...attempt, answer_headers: null, answer_body: null, answer_cut: false }
      return run(
        query('webhook-attempts.insert-there')`
          insert into webhook_attempts (${columnsOfAttempt}, answer_headers, answer_body, answer_cut)
          values (${valuesOf(kept)}, ${jsonOrNull(kept.answer_headers)}::json, ${kept.answer_body}, ${kept.answer_cut})
          returning id`,
      )
    },
  )

const isKept = ({ company_id, at }: AttemptRow): Sql =>
  sql`select ${isAfterErasure(sql`${at}::timestamptz`, sql`persons_erased_at`)} as is_kept from companies
    where id = ${company_id} for key share`

const columnsOfAttempt =
  raw(`company_id, endpoint_id, at, event, event_id, after, payload, by_hand, ms, status, failure, detail,
      request_headers, request_body, request_bytes, request_sha256, bytes`)

const valuesOf = (attempt: AttemptRow): Sql =>
  sql`${attempt.company_id}::bigint, ${attempt.endpoint_id}::bigint, ${attempt.at}::timestamptz, ${attempt.event}::text,
      ${attempt.event_id}::text, ${jsonOrNull(attempt.after)}::json, ${attempt.payload}::text, ${attempt.by_hand}::boolean,
      ${attempt.ms}::real, ${attempt.status}::smallint, ${attempt.failure}::text, ${attempt.detail}::text, '{}'::json,
      ${attempt.test_body ?? ''}::text, ${attempt.request_bytes}::integer, ${attempt.request_sha256}::bytea,
      ${bytesOf(attempt)}::integer`

const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

/** Bytes of a row without its long texts, and of its entries in the indexes. */
export const attemptRowBytes = 400

/** Returns the bytes that an attempt takes on the disk at most: long texts are compressed there. */
const bytesOf = ({ test_body, detail, answer_headers, answer_body }: AttemptRow): number =>
  [test_body, detail, jsonOrNull(answer_headers), answer_body]
    .map((text) => Buffer.byteLength(text ?? ''))
    .reduce((sum, bytes) => sum + bytes, attemptRowBytes)

export type AttemptListRow = Pick<
  AttemptRow,
  'endpoint_id' | 'event' | 'event_id' | 'by_hand' | 'ms' | 'status' | 'failure' | 'detail'
> & { id: number; at: string; arrived: boolean }

/** Returns whether the receiver accepted it, by the expression of the budget's index. */
export const hasArrived = raw('coalesce(status between 200 and 299, false)')

const shown = sql`id, endpoint_id, ${instant('at')} as at, event, event_id, by_hand, ms::float8 as ms, status, failure, detail,
  ${hasArrived} as arrived`

const ofEndpoint = (companyId: number, endpointId: number, failedAlone: boolean) =>
  sql`company_id = ${companyId} and ${equalsIndexed(sql`endpoint_id`, endpointId)}
      and (not ${failedAlone}::boolean or status is null or status not between 200 and 299)`

export const attemptsOf = (
  companyId: number,
  endpointId: number,
  { failedAlone, limit, offset }: PageCut & { failedAlone: boolean },
): Statement =>
  query('webhook-attempts.list')`
    select ${shown} from webhook_attempts where ${ofEndpoint(companyId, endpointId, failedAlone)}
    order by endpoint_id desc, id desc limit ${limit} offset ${offset}`

export const countAttempts = (companyId: number, endpointId: number, failedAlone: boolean): Statement =>
  query('webhook-attempts.count')`select count(*) as total from (
      select from webhook_attempts where ${ofEndpoint(companyId, endpointId, failedAlone)}
      ${inOrderOf(raw('endpoint_id'), raw('id'))}
    ) counted`

export type AttemptInFull = AttemptListRow &
  Pick<AttemptRow, 'after' | 'payload' | 'request_bytes' | 'test_body' | 'answer_headers' | 'answer_body'> & {
    /** Unix time in seconds, as it was sent. */
    timestamp: number
    /** Null in an attempt by a process of an earlier version, of which neither request nor answer is shown. */
    request_sha256: Buffer | null
    answer_cut: boolean
    /** Permissions of the account that is responsible for the endpoint; null for the operator. */
    permissions: string[] | null
  }

/**
 * An attempt with its request and, of a failure, its response. The request is recreated from the log: `changed` if the
 * log differs by now, `gone` if it has none of it any more.
 */
export type AttemptDetailsRow = AttemptListRow &
  Pick<AttemptInFull, 'request_bytes' | 'answer_headers' | 'answer_body' | 'answer_cut'> & {
    request_headers: { readonly [name: string]: string }
    request_body: string | null
    /** Whether the body is longer than the shown part. */
    request_cut: boolean
    request_is: 'same' | 'changed' | 'gone'
  }

export const findAttempt = (companyId: number, id: number): Statement =>
  query('webhook-attempts.find')`
    select ${shown}, after, payload, floor(extract(epoch from at))::float8 as timestamp, request_bytes, request_sha256,
      case when after is null and request_sha256 is not null then request_body end as test_body,
      case when request_sha256 is not null then answer_headers end as answer_headers,
      case when request_sha256 is not null then answer_body end as answer_body, answer_cut, (
        select answering.permissions from ${byKey('webhook_endpoints', companyId, raw('a.endpoint_id'))} w
        cross join lateral ${byKey('accounts', companyId, raw('w.account_id'))} answering
      ) as permissions
    from (
      select * from webhook_attempts where company_id = ${companyId} and ${equalsIndexed(sql`id`, id)} ${inOrderOf(sql`id`)}
    ) a`
