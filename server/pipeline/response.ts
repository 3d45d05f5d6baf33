import { type Conditions, hasWeak, type Tags } from '#derive/expected-version.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import type { PageCut } from '#registry/listing.ts'
import {
  type Doubt,
  type Particulars,
  type Preview,
  type ProblemBody,
  problemBody,
  type Refusal,
  type RefusalCode,
  refusals,
} from '#registry/refusals.ts'
import type { CallerRow } from '#sql/system/caller.ts'
import { isAllowed, knownForm } from '../protocol/entity-tags.ts'
import { notExpected } from '../records/expected.ts'
import type { Effect } from '../records/preview.ts'
import { keyedHash } from '../records/tag.ts'
import type { UnreadRecord } from '../records/write-set.ts'
import type { ApiResponse } from './call.ts'
import { formatStorable } from './mask.ts'

/** Responses, entity tags and conditional reads. Decisions, Replies and Conditional requests. */

/** JSON as PostgreSQL has written it, which is passed on and never parsed on its way. */
export class JsonText {
  readonly json: string
  constructor(json: string) {
    this.json = json
  }
}

/** The parts of the body of a success, in their order. */
type Parts = { data?: Json | JsonText; meta?: JsonObject; plan?: Preview; doubts?: Doubt[] }

/**
 * A response of /v1. Its parts are values until it is stored or sent. `body` is the text where it is made already: of a
 * replay, which has no parts, and of a page, whose ETag is the hash of its text.
 */
export type CallResponse = Parts & {
  status: number
  /** The code of a refusal; null after success. */
  code: RefusalCode | null
  /** The reasons of a refusal, for the log of calls. */
  about?: string[] | null
  headers: { readonly [name: string]: string }
  problem?: ProblemBody
  body?: string
  replayed?: boolean
  /** The written record. It is shown if the caller prefers it, and never stored. */
  record?: JsonText | undefined
  /** The record whose ETag is added after the commit. */
  unread?: UnreadRecord
  /** The record that was written, if the path does not name it. */
  recordId?: number
  /** The effects of each command, for a preview. */
  effects?: readonly Effect[]
}

/** Returns the text of a response as it is stored: without the record. */
export const formatBody = ({ body, problem, data, meta, plan, doubts }: CallResponse): string =>
  body ?? (problem ? JSON.stringify(problem) : formatParts({ data, meta, plan, doubts }))

function formatParts(parts: { readonly [name: string]: Json | JsonText | Preview | Doubt[] | undefined }): string {
  const members = Object.entries(parts).flatMap(([name, value]) => {
    if (value === undefined) return []
    return [`"${name}":${value instanceof JsonText ? value.json : JSON.stringify(value)}`]
  })
  return `{${members.join()}}`
}

/** Returns the body of a response as a value. Parses what PostgreSQL has written, and the stored text of a replay. */
export function bodyOf({ body, problem, data, meta, plan }: CallResponse): JsonObject {
  if (problem) return problem as unknown as JsonObject
  if (data === undefined) return JSON.parse(body as string) as JsonObject
  return {
    data: data instanceof JsonText ? (JSON.parse(data.json) as Json) : data,
    ...(meta && { meta }),
    ...(plan && { plan: plan as unknown as Json }),
  }
}

/** Returns the response as it is sent, with the record that the caller prefers to get. */
export function replyOf(response: CallResponse): ApiResponse {
  const { status, data, plan, record } = response
  const body = record === undefined ? formatBody(response) : formatParts({ data, plan, record })
  return { status, headers: headersOf(response), body }
}

export const headersOf = ({ code, headers, body, record }: CallResponse): ApiResponse['headers'] => ({
  ...headers,
  ...(record === undefined ? {} : { 'Preference-Applied': 'return=representation' }),
  ...(code !== null ? headersOfRefusals : body === '' ? {} : { 'Content-Type': jsonType }),
})

export const jsonType = 'application/json; charset=utf-8'
const headersOfRefusals = {
  'Content-Type': 'application/problem+json; charset=utf-8',
  'Cache-Control': 'no-store',
} as const

/** The header with the id of a write, by which it is undone. */
export const writeIdHeader = 'X-Write-Id'

export const createResponse = (
  status: number,
  data: JsonObject,
  headers: CallResponse['headers'] = {},
): CallResponse => ({ status, code: null, headers, data })

/** Returns the response of a read. Returns 304 with the caller's form of the ETag if the caller has it already. */
export function readReply(parts: Parts & { body?: string }, tag: string, ifNoneMatch: Tags | undefined): CallResponse {
  const known = knownForm(tag, ifNoneMatch)
  const headers = { ETag: known ?? tag, 'Cache-Control': 'private, no-cache', Vary: 'Authorization, Accept-Encoding' }
  return known === undefined
    ? { status: 200, code: null, headers, ...parts }
    : { status: 304, code: null, headers, body: '' }
}

/**
 * Returns the response of a read whose ETag is that of its text, with links to the pages around it. A 304 has the links
 * too: a page can stay as it is while its end moves.
 */
export function pageReply(
  { tag_key }: Pick<CallerRow, 'tag_key'>,
  parts: Parts,
  { ifMatch, ifNoneMatch }: Conditions,
  links?: string,
): CallResponse {
  const body = formatParts(parts)
  const tag = `"${keyedHash(tag_key, body)}"`
  if (!isAllowed(ifMatch, tag)) throw notExpected(hasWeak(ifMatch))
  const response = readReply({ ...parts, body }, tag, ifNoneMatch)
  return links === undefined ? response : { ...response, headers: { ...response.headers, Link: links } }
}

/** Returns a page of records; `records` are their JSON, with commas between. */
export const pageOf = (records: string, total: number, { limit, offset }: PageCut) => ({
  data: new JsonText(`[${records}]`),
  meta: { total, limit, offset },
})

/** Returns the address of the errors page; without a public URL it is relative to the caller's. */
export const errorsAddress = (publicUrl: string | null): string => `${publicUrl ?? ''}/docs/errors`

export const refusalResponse = (refusal: Refusal, requestId: string, publicUrl: string | null): CallResponse => ({
  status: refusals[refusal.code].status,
  code: refusal.code,
  about: aboutOf(refusal.particulars),
  headers: { ...refusal.particulars.headers },
  problem: problemBody(refusal, requestId, errorsAddress(publicUrl)),
})

/** Returns the wrong fields, or the missing right or add-on: the first `aboutMax`, each cut. */
export function aboutOf({
  errors,
  required_scope,
  feature,
}: Pick<Particulars, 'errors' | 'required_scope' | 'feature'>): string[] | null {
  const names = errors?.map(({ field }) => field) ?? [required_scope ?? feature]
  const named = [...new Set(names)].filter((name) => name !== undefined && name !== '').slice(0, aboutMax)
  return named.length === 0 ? null : named.map((name) => formatStorable(name as string).slice(0, aboutLengthMax))
}

const aboutMax = 10
const aboutLengthMax = 80
