import { type KeepableNames, keepableNames } from '#derive/kept-members.ts'
import { shownLength } from '#derive/visible.ts'
import type { Json } from '#registry/json.ts'
import { bodyBytesMax } from '#registry/limits.ts'
import { Refusal } from '#registry/refusals.ts'
import type { BodyState, CallDetails } from '#sql/system/call-details.ts'
import type { CallerAsk, CallerRow } from '#sql/system/caller.ts'
import type { App } from './app.ts'
import type { ApiResponse, Call } from './call.ts'
import {
  bodyBytesKept,
  formatStorable,
  keptBytes,
  keptJson,
  keptQuery,
  leftOut,
  type MaskedResponse,
  maskResponse,
} from './masked-response.ts'
import { refusalAnswer, replyOf, type StoredResponse } from './stored-response.ts'

/** The outcome of a call, and its body if it could be parsed. */
export type CallOutcome = { outcome: ReadResponse | StoredResponse | Refusal; sent?: Json | undefined }
type ReadResponse = ApiResponse & { code?: undefined }

/**
 * Stores details of a call's request and response, if its company wants that and there is room. They are written with
 * others within a second, and nothing waits for them. Decisions, Call log.
 */
export function keepDetails(app: App, call: Call, ask: CallerAsk, caller: CallerRow, details: CallOutcome): void {
  const { callDetails, clock, config } = app
  if (!callDetails || !caller.keeps_details) return
  const { outcome } = details
  const isRefused = outcome instanceof Refusal || outcome.status >= 400
  const answerLength = outcome instanceof Refusal ? 0 : outcome.body.length
  const amount = rowBytes + Math.min(bodyBytesKept, bytesOf(call)) + Math.min(bodyBytesKept, answerLength)
  if (!callDetails.hasRoom(ask.companyId, isRefused, amount)) return
  const answer = outcome instanceof Refusal ? refusalAnswer(outcome, call.requestId, config.publicUrl) : outcome
  callDetails.add({
    company_id: ask.companyId,
    request_id: call.requestId,
    at: clock.now().toISOString(),
    ...detailsOf(
      call,
      answer.code === undefined ? answer : { ...answer, headers: replyOf(answer).headers },
      details.sent,
    ),
  })
}

/** Bytes of a row beside its bodies. */
const rowBytes = 768
const pathLengthMax = 500
const queryLengthMax = 4000
const headerLengthMax = 500

function detailsOf(call: Call, answer: ReadResponse | StoredResponse, sent: Json | undefined): CallDetails {
  const keep = keepableNames(call.route)
  // Nothing is stored of the content that a caller without access sent.
  const isLetIn = answer.code !== 'unauthorized' && answer.code !== 'ip_not_allowed'
  const asked = isLetIn ? keptQuery(call.query, keep) : { query: '', isMasked: call.query !== '' }
  const request = isLetIn ? requestOf(call, keep, sent) : leftOut
  const state = withRest(request.state, call, asked)
  const response = maskResponse(answer.body, keep)
  return {
    method: call.route.method,
    path: formatStorable(call.path).slice(0, pathLengthMax),
    query: asked.query.slice(0, queryLengthMax),
    request_headers: requestHeaders(call.rawHeaders),
    request_body: request.body,
    request_bytes: shownLength(bytesOf(call), state === 'whole'),
    request_state: state,
    answer_headers: pickHeaders(Object.entries(answer.headers), answerHeaderNames),
    answer_body: response.body,
    answer_bytes: shownLength(Buffer.byteLength(answer.body), response.state === 'whole'),
    answer_state: response.state,
  }
}

const bytesOf = ({ body }: Call): number => (body === 'too large' ? 0 : body.bytes.length)

function requestOf(call: Call, keep: KeepableNames, sent: Json | undefined): MaskedResponse {
  if (call.body === 'too large' || isUnreceived(call)) return leftOut
  if (sent === undefined || call.route.body === null) return keptBytes(call.body.bytes, keep)
  return bytesOf(call) > bodyBytesMax ? leftOut : keptJson(sent, keep)
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
function withRest(state: BodyState, { path, rawHeaders }: Call, asked: ReturnType<typeof keptQuery>): BodyState {
  if (state !== 'whole') return state
  const isLong = pairs(rawHeaders).some(
    ([name, value]) => requestHeaderNames.has(name) && value.length > headerLengthMax,
  )
  if (isLong || asked.query.length > queryLengthMax || path.length > pathLengthMax) return 'cut'
  return asked.isMasked ? 'masked' : 'whole'
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
