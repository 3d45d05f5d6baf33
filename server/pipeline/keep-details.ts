import { type KeepableNames, keepableNames } from '#derive/kept-members.ts'
import { shownLength } from '#derive/visible.ts'
import type { Json } from '#registry/json.ts'
import { bodyBytesMax } from '#registry/limits.ts'
import { Refusal } from '#registry/refusals.ts'
import type { BodyState, CallDetails } from '#sql/system/call-details.ts'
import type { KnownCall } from './admitted-call.ts'
import type { Call } from './call.ts'
import {
  bodyBytesKept,
  formatStorable,
  leftOut,
  type MaskedBody,
  maskBytes,
  maskJson,
  maskQuery,
  maskResponse,
} from './mask.ts'
import { bodyOf, type CallResponse, formatBody, headersOf, refusalResponse } from './response.ts'

/**
 * Stores details of a call's request and response, if its company wants that and there is room. They are written with
 * others within a second, and nothing waits for them. Decisions, Call log.
 */
export function keepDetails(known: KnownCall, outcome: CallResponse | Refusal): void {
  const { app, call, ask, caller, body } = known
  const { callDetails, clock, config } = app
  if (!callDetails || !caller.keeps_details) return
  const isRefused = outcome instanceof Refusal || outcome.status >= 400
  const text = outcome instanceof Refusal ? '' : formatBody(outcome)
  const amount = rowBytes + Math.min(bodyBytesKept, bytesOf(call)) + Math.min(bodyBytesKept, text.length)
  if (!callDetails.hasRoom(ask.companyId, isRefused, amount)) return
  const response = outcome instanceof Refusal ? refusalResponse(outcome, call.requestId, config.publicUrl) : outcome
  callDetails.add({
    company_id: ask.companyId,
    request_id: call.requestId,
    at: clock.now().toISOString(),
    ...detailsOf(call, response, body),
  })
}

/** Bytes of a row beside its bodies. */
const rowBytes = 768
const pathLengthMax = 500
const queryLengthMax = 4000
const headerLengthMax = 500

function detailsOf(call: Call, response: CallResponse, body: Json | undefined): CallDetails {
  const keep = keepableNames(call.route)
  // Nothing is stored of the content that a caller without access sent.
  const isLetIn = response.code !== 'unauthorized' && response.code !== 'ip_not_allowed'
  const query = isLetIn ? maskQuery(call.query, keep) : { query: '', isMasked: call.query !== '' }
  const request = isLetIn ? requestOf(call, keep, body) : leftOut
  const state = withRest(request.state, call, query)
  const text = formatBody(response)
  const answer = maskResponse(text, () => bodyOf(response), keep)
  return {
    method: call.route.method,
    path: formatStorable(call.path).slice(0, pathLengthMax),
    query: query.query.slice(0, queryLengthMax),
    request_headers: requestHeaders(call.rawHeaders),
    request_body: request.body,
    request_bytes: shownLength(bytesOf(call), state === 'whole'),
    request_state: state,
    answer_headers: pickHeaders(Object.entries(headersOf(response)), answerHeaderNames),
    answer_body: answer.body,
    answer_bytes: shownLength(Buffer.byteLength(text), answer.state === 'whole'),
    answer_state: answer.state,
  }
}

const bytesOf = ({ body }: Call): number => (body === 'too large' ? 0 : body.bytes.length)

function requestOf(call: Call, keep: KeepableNames, body: Json | undefined): MaskedBody {
  if (call.body === 'too large' || isUnreceived(call)) return leftOut
  if (body === undefined || call.route.body === null) return maskBytes(call.body.bytes, keep)
  return bytesOf(call) > bodyBytesMax ? leftOut : maskJson(body, keep)
}

/** Returns whether the body was not received, because the call was refused before. */
function isUnreceived(call: Call): boolean {
  if (bytesOf(call) > 0) return false
  const headers = pairs(call.rawHeaders)
  return headers.some(
    ([name, value]) => name === 'transfer-encoding' || (name === 'content-length' && Number(value) > 0),
  )
}

/**
 * Returns the state of the whole request. A request of which any part is cut or masked, also in path, query or headers,
 * cannot be repeated as it was.
 */
function withRest(state: BodyState, { path, rawHeaders }: Call, query: ReturnType<typeof maskQuery>): BodyState {
  if (state !== 'whole') return state
  const isLong = pairs(rawHeaders).some(
    ([name, value]) => requestHeaderNames.has(name) && value.length > headerLengthMax,
  )
  if (isLong || query.query.length > queryLengthMax || path.length > pathLengthMax) return 'cut'
  return query.isMasked ? 'masked' : 'whole'
}

/** Request headers that decide the effect of a call, and never the token, which identifies the caller. */
const requestHeaderNames: ReadonlySet<string> = new Set([
  'user-agent',
  'content-type',
  'content-encoding',
  'accept',
  'idempotency-key',
  'x-dry-run',
  'if-match',
  'if-none-match',
])
const answerHeaderNames: ReadonlySet<string> = new Set([
  ...['content-type', 'etag', 'location', 'retry-after', 'idempotency-replayed', 'idempotency-original-request-id'],
])

const requestHeaders = (rawHeaders: readonly string[]) => pickHeaders(pairs(rawHeaders), requestHeaderNames)

function pickHeaders(headers: readonly (readonly [string, string])[], names: ReadonlySet<string>) {
  const wanted = headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => names.has(name))
  return Object.fromEntries(wanted.map(([name, value]) => [name, formatStorable(value).slice(0, headerLengthMax)]))
}

const pairs = (rawHeaders: readonly string[]): [string, string][] =>
  Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    (rawHeaders[2 * index] as string).toLowerCase(),
    rawHeaders[2 * index + 1] as string,
  ])
