import { type Problem, type ProblemCode, problem } from './definition.ts'
import type { DoubtCode } from './field-codes.ts'
import type { JsonObject } from './json.ts'
import {
  batchBytesMax,
  batchOperationsMax,
  batchValuesMax,
  bodyBytesMax,
  bodyDepthMax,
  bodyValuesMax,
  replayWindowHours,
} from './limits.ts'

const mebibyte = 1024 * 1024

/**
 * The refusals: status, title of the section in the documents, when it happens, and what to do. `heardAgain` marks
 * those that a retry with the same Idempotency-Key gets again. A code is never renamed or reused. RFC 9457; Decisions,
 * Errors and Idempotency.
 */
export const refusals = {
  malformed_json: {
    status: 400,
    title: 'The body cannot be read',
    when: `The body of a create or update is empty, is no JSON or no UTF-8, is nested deeper than ${bodyDepthMax} levels, has more than ${bodyValuesMax} members and items (in a batch ${batchValuesMax}), or holds what could not be kept exactly: a member twice, a NUL character, half of a surrogate pair, a number that no double is.`,
    advice: 'Send one valid JSON object in UTF-8.',
  },
  invalid_parameter: {
    status: 400,
    title: 'A query parameter is not valid',
    when: 'A query parameter has a value that it cannot take or is given twice, or the query is not percent-encoded UTF-8.',
    advice: 'Correct the parameter named in detail.',
  },
  unknown_parameter: {
    status: 400,
    title: 'A query parameter is not known here',
    when: 'The query has a parameter that the route does not take, such as a filter of another collection.',
    advice: 'Remove it, or use one of those listed in detail.',
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'The Idempotency-Key cannot be used',
    when: 'Idempotency-Key is empty, too long or given twice, or has a blank or a character beyond ASCII in it.',
    advice: 'Send the header once, with 1 to 255 visible ASCII characters.',
  },
  invalid_dry_run: {
    status: 400,
    title: 'It is not clear whether this is a dry-run',
    when: 'X-Dry-Run or dry_run says neither yes nor no, or X-Dry-Run is given twice. Nothing was done.',
    advice: 'Send 1 or true for a dry-run, 0 or false for a real call, or leave it out.',
  },
  invalid_header: {
    status: 400,
    title: 'A header cannot be read',
    when: 'A header that is sent once at most came twice, If-Match or If-None-Match of a write is no list of ETags, If-Plan is no hash of a plan in quotes, Host is missing or came twice, or the request is not valid HTTP.',
    advice: 'Correct the header named in detail.',
  },
  unauthorized: {
    status: 401,
    title: 'No valid token',
    when: 'There is no Bearer token in Authorization, or it is unknown, rotated or revoked, or its account is disabled. The answer does not tell which.',
    advice: 'Send "Authorization: Bearer <token>" with the active token from Settings, API.',
  },
  feature_off: {
    status: 402,
    title: 'The add-on is not switched on',
    when: 'The company lacks the API add-on, or the one that the collection needs besides.',
    advice: 'Ask the owner of the company to switch on the add-on named in feature.',
  },
  plan_limit_reached: {
    status: 402,
    title: 'The plan holds no more of these',
    when: 'One more record of this kind would exceed the plan of the company. No plan grows by itself.',
    advice: 'Delete records that are not needed, or move the company to a larger plan.',
    heardAgain: true,
  },
  insufficient_scope: {
    status: 403,
    title: 'The token may not do this',
    when: 'The token does not carry the scope of the operation, or the account behind it has lost the permission. Or the call names a field that needs a permission of the account.',
    advice:
      'Issue a token with the scope named in required_scope, from an account that holds it. A permission of fields is no scope: give it to the account.',
  },
  ip_not_allowed: {
    status: 403,
    title: 'This address may not use the token',
    when: 'The token has an allowlist and the connection comes from elsewhere. What counts is the TCP peer; no forwarding header is read.',
    advice: 'Call from an address on the allowlist of the token, or change the list in Settings, API.',
  },
  cross_site_request: {
    status: 403,
    title: 'The request comes from another site',
    when: 'The web interface was asked to change or export something by a page of another site, or to change something by a program that does not say where it comes from. No route of /v1 answers this.',
    advice: 'Use the web interface at its own address; programs use /v1 with a token.',
  },
  agents_off: {
    status: 403,
    title: 'Agents are switched off',
    when: 'A program called /mcp with the token of a company where agents are off. No route of /v1 answers this.',
    advice: 'Ask somebody who may manage the API to switch them on in Settings, Agents.',
  },
  not_found: {
    status: 404,
    title: 'There is nothing here',
    when: 'No route has the path, or the company has no live record with the id. A record that is deleted, that belongs to somebody else or that never was gets the same answer.',
    advice: 'Check the path and the id; a deleted record is not served.',
    heardAgain: true,
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not served here',
    when: 'The path is served, but not with this method.',
    advice: 'Use one of the methods in the Allow header.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    when: 'The headers or the body came in too slowly.',
    advice: 'Send the whole request without a long pause, then wait for its answer.',
  },
  delete_blocked: {
    status: 409,
    title: 'Protected history refers to the record',
    when: 'The record, or what would go with it, is history that has to be kept, such as an issued invoice or approved hours. A dry-run says so too.',
    advice: 'Follow the alternative in detail; blocked_by lists what refers to it.',
    heardAgain: true,
  },
  idempotency_key_reuse: {
    status: 409,
    title: 'The Idempotency-Key belongs to another request',
    when: `In the last ${replayWindowHours} hours the key was used with another method, path or body.`,
    advice: 'Use a new key for a new operation; repeat method, path and body exactly to retry the old one.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'A request with this Idempotency-Key is still running',
    when: 'The first request with the key has not ended yet.',
    advice: 'Wait for the time in Retry-After and repeat the request with the same key.',
  },
  reference_conflict: {
    status: 409,
    title: 'Others write the same reference at the same moment',
    when: 'A record was to be created by its external_ref, and each time somebody else, who does not write by the reference, had just created one with it. Nothing was written.',
    advice: 'Repeat the request; it changes the record that is there then.',
  },
  undo_conflict: {
    status: 409,
    title: 'The write can no longer be taken back',
    when: 'What the write left has changed since, something new refers to what it created, or it has been taken back already. Nothing was done.',
    advice: 'conflicts lists records and fields. Change them by hand, or take back first what came after.',
  },
  protected: {
    status: 409,
    title: 'Protected history is not taken back',
    when: 'The write is about a record that is history that has to be kept, such as an accepted estimate, or was such before it. Nothing was done.',
    advice: 'Correct it as a person would: by a new record beside the one that is kept.',
  },
  token_active: {
    status: 409,
    title: 'The company has an active token',
    when: 'Settings was asked to issue a token while there is one. No route of /v1 answers this.',
    advice: 'Rotate it to get a new one with the same rights, or revoke it first.',
  },
  replay_active: {
    status: 409,
    title: 'A replay of the webhook is under way',
    when: 'Settings or the command was asked to replay a webhook that has not sent all of an earlier replay yet. No route of /v1 answers this.',
    advice: 'Wait until the earlier replay is sent, or switch the webhook off to end it and then replay.',
  },
  preview_ended: {
    status: 409,
    title: 'The preview of the agent is over',
    when: 'Somebody decided in the web interface about a preview that was applied, declined or not applied in time. No route of /v1 answers this.',
    advice: 'Load the page again to see what became of it.',
  },
  doubtful: {
    status: 409,
    title: 'The write is doubtful',
    when: 'The web interface was asked to write something that is allowed and looks like a mistake, such as an estimate that is accepted after its last day. Nothing was written. No route of /v1 answers this.',
    advice: 'Look at what doubts lists. To write all the same, repeat the request with these codes in X-Accept-Doubts.',
  },
  cannot_restore: {
    status: 409,
    title: 'The deletion cannot be undone',
    when: 'The web interface was asked to restore a record that was erased for good, or that has been restored already. No route of /v1 answers this.',
    advice: 'Create the record anew; its history says what it held.',
  },
  cursor_gone: {
    status: 410,
    title: 'The feed of changes no longer goes on from here',
    when: 'The changes behind the cursor in after are older than the feed keeps changes, or the database was restored to a state before the cursor. So the feed cannot go on from there without a gap.',
    advice: 'Begin anew: call with after=now and store meta.next, list all records, then go on from that cursor.',
  },
  precondition_failed: {
    status: 412,
    title: 'A condition of the request does not hold',
    when: 'If-Match was sent and names another state than the present one, or If-None-Match was sent with an update or delete and names the present one. Nothing was done, and an Idempotency-Key is not used up.',
    advice:
      'What you know has changed. Fetch it again and decide on its present state; then send its new ETag in If-Match.',
  },
  plan_changed: {
    status: 412,
    title: 'The write would do something else than was planned',
    when: 'If-Plan was sent, and what the call would do now is not what its dry-run showed: a record that it changes, or that its rules read, has changed since, or the call itself is another one. Nothing was done, and an Idempotency-Key is not used up.',
    advice: 'Look at the new plan in plan, and send its hash in If-Plan if that is what you want.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    when: 'The body has more bytes than are taken, or a batch has more operations.',
    advice: `Send at most ${bodyBytesMax / mebibyte} MiB; in a batch ${batchBytesMax / mebibyte} MiB and ${batchOperationsMax} operations.`,
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body is not sent as JSON',
    when: 'A create or update has a body of another type, in another character set, or compressed.',
    advice:
      'Send "Content-Type: application/json" (a PATCH may also be application/merge-patch+json), in UTF-8 and not compressed.',
  },
  expectation_failed: {
    status: 417,
    title: 'Something is expected that is not offered',
    when: 'Expect asks for anything but 100-continue.',
    advice: 'Leave out Expect, or send "Expect: 100-continue".',
  },
  misdirected_request: {
    status: 421,
    title: 'The web interface has another address',
    when: 'PUBLIC_URL is set, and the web interface was asked to sign somebody in or to change something at another address. No route of /v1 answers this.',
    advice: 'Open the web interface at the address in PUBLIC_URL, or correct that setting.',
  },
  validation_failed: {
    status: 422,
    title: 'The record is not acceptable',
    when: 'The body can be read, but the record would break a rule. All that is wrong is listed at once, one entry a field.',
    advice: 'Correct the fields listed in errors; nothing was written.',
  },
  batch_refused: {
    status: 422,
    title: 'Operations of the batch are refused',
    when: 'A batch with the mode all has operations that cannot be done. All of them are in refused, each with its own problem.',
    advice: 'Correct or leave out the operations listed in refused; nothing was done.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    when: 'There were too many attempts in a short time, for example to sign in, or more calls with a token than the service allows in a minute; RateLimit-Policy says how many.',
    advice: 'Wait for the time in Retry-After; nothing was done.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    when: 'The headers and the address have more bytes than are taken.',
    advice: 'Send at most 16 KiB of headers, the address included.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    when: 'The service met a mistake of its own; its log has the cause under the request_id.',
    advice: 'Report the request_id; nothing was written.',
  },
  not_implemented: {
    status: 501,
    title: 'The method is not known',
    when: 'The method of the request is none that the service knows, or CONNECT. No path of the service has it.',
    advice: 'Use one of the methods that OPTIONS names in Allow.',
  },
  unavailable: {
    status: 503,
    title: 'The service cannot answer at the moment',
    when: 'The database is out of reach or too busy, or the service is about to stop.',
    advice: 'Repeat the request after the time in Retry-After; nothing was written.',
  },
  overloaded: {
    status: 503,
    title: 'There are more requests than the service can answer in time',
    when: 'So many requests are under way that one more would wait too long. It was turned away before anything was looked at, its token included.',
    advice:
      'Repeat the request after the time in Retry-After, with or without an Idempotency-Key; nothing was done, and none is used up.',
  },
  outcome_unknown: {
    status: 503,
    title: 'It is not known whether the write happened',
    when: 'The connection to the database broke while the write was being committed.',
    advice: 'Repeat the request with the same Idempotency-Key, or fetch the record before you write again.',
  },
} as const satisfies {
  readonly [code: string]: { status: number; title: string; when: string; advice: string; heardAgain?: true }
}

export type RefusalCode = keyof typeof refusals

/** True if a retry with the same Idempotency-Key gets the refusal again. */
export const isHeardAgain = (code: RefusalCode): boolean => 'heardAgain' in refusals[code]

/** Some records of one resource in a preview or refusal: the first ids, and the count of all. */
export type RecordsSummary = { records: string; count: number; ids: number[]; effect?: 'kept' | 'unlinked' }

/**
 * The preview of a write. `changes` are the first of `total`. The fields of a record that the caller may not see are
 * absent. A record that would be created has no id.
 */
export type Preview = {
  hash: string
  total: number
  changes: PlannedChange[]
  would_delete: RecordsSummary[]
  would_keep: RecordsSummary[]
}

export type PlannedChange = {
  records: string
  id: number | null
  action: 'created' | 'updated' | 'deleted' | 'erased' | 'restored'
  /** Old and new value by field. */
  fields?: JsonObject
}

/** A record that differs from what a write left, and the fields that differ; none if the whole record does. */
export type UndoConflict = { records: string; id: number; fields: string[] }

/** The members that a refusal may carry beside its code. */
export type Particulars = {
  detail?: string
  errors?: Problem[]
  required_scope?: string
  feature?: string
  limit?: number
  used?: number
  blocked_by?: RecordsSummary[]
  /** The refused operations of a batch. */
  refused?: RefusedOperation[]
  plan?: Preview
  conflicts?: UndoConflict[]
  doubts?: Doubt[]
  /** Headers of the response. */
  headers?: { readonly [name: string]: string }
}

/** A problem that a person may accept; `n` is the place of its operation in a batch, from 0. */
export type Doubt = Problem<DoubtCode> & { n?: number }

/** An operation of a batch that was refused; `n` counts from 0. */
export type RefusedOperation = { n: number; as: string | undefined; refusal: Refusal }

/** An expected error on its way to the caller. It is logged as expected. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly particulars: Particulars
  constructor(code: RefusalCode, particulars: Particulars = {}) {
    super(particulars.detail ?? refusals[code].advice)
    this.name = 'Refusal'
    this.code = code
    this.particulars = particulars
  }
}

/** Problems that `detail` repeats; all of them are in `errors`. */
export const toldMax = 3

/** Formats a problem as a sentence. */
export const formatProblem = ({ field, message }: Problem): string => (field ? `${field} ${message}` : message)

export const invalidFields = (errors: Problem[]): Refusal =>
  new Refusal('validation_failed', { errors, detail: formatProblems(errors, 'errors') })

export const doubtful = (doubts: Doubt[]): Refusal =>
  new Refusal('doubtful', { doubts, detail: formatProblems(doubts, 'doubts') })

/** Formats the first problems as a sentence; `member` lists all of them. */
function formatProblems(problems: readonly Problem[], member: keyof Particulars): string {
  const more = problems.length - toldMax
  const rest = more > 0 ? `; ${member} lists ${more} more` : ''
  return `${problems.slice(0, toldMax).map(formatProblem).join('; ')}${rest}.`
}

export const invalidField = (field: string, code: ProblemCode, message: string): Refusal =>
  invalidFields([problem(field, code, message)])

export type ProblemBody = Omit<Particulars, 'headers' | 'refused'> & {
  refused?: RefusedRow[]
  type: string
  title: string
  status: number
  detail: string
  code: RefusalCode
  request_id: string
}

/** A refused operation in the response. */
export type RefusedRow = { n: number; as?: string; status: number; problem: ProblemBody }

export const refusedRow = ({ n, as, refusal }: RefusedOperation, requestId: string, docs: string): RefusedRow => ({
  n,
  ...(as === undefined ? {} : { as }),
  status: refusals[refusal.code].status,
  problem: problemBody(refusal, requestId, docs),
})

/** Returns the body of a refusal: application/problem+json of RFC 9457. `docs` is the address of the errors page. */
export function problemBody(refusal: Refusal, requestId: string, docs: string): ProblemBody {
  const { title, status, advice } = refusals[refusal.code]
  const { detail, headers: _, refused, ...extensions } = refusal.particulars
  return {
    type: `${docs}#${refusal.code}`,
    title,
    status,
    detail: detail ?? advice,
    code: refusal.code,
    request_id: requestId,
    ...extensions,
    ...(refused ? { refused: refused.map((each) => refusedRow(each, requestId, docs)) } : {}),
  }
}

/**
 * Returns the result of `reading`, or the refusal that it throws. A part of a request that is parsed before its turn is
 * refused in its turn, by `orThrow`.
 */
export function orRefusal<T>(reading: () => T): T | Refusal {
  try {
    return reading()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

export function orThrow<T>(value: T | Refusal): T {
  if (value instanceof Refusal) throw value
  return value
}
