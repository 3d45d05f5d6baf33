import type { Json } from '#registry/json.ts'
import type { PageCut } from '#registry/listing.ts'
import {
  type Particulars,
  type Preview,
  problemBody,
  type Refusal,
  type RefusalCode,
  refusals,
} from '#registry/refusals.ts'
import type { CallerRow } from '#sql/system/caller.ts'
import { type Conditions, hasWeak, isAllowed, knownForm, type Tags } from '../protocol/entity-tags.ts'
import { notExpected } from '../records/expected.ts'
import type { Effect } from '../records/preview.ts'
import { keyedHash } from '../records/tag.ts'
import type { UnreadRecord } from '../records/write-set.ts'
import type { ApiResponse } from './call.ts'
import { formatStorable } from './masked-response.ts'

/** Envelopes, entity tags and conditional reads. Decisions, Replies and Conditional requests. */

/** Returns the answer of a read. Returns 304 with the caller's form of the ETag if the caller has it already. */
export function readReply(body: string, tag: string, ifNoneMatch: Tags | undefined): ApiResponse {
  const known = knownForm(tag, ifNoneMatch)
  if (known !== undefined) return { status: 304, headers: { ETag: known, ...headersOfReads }, body: '' }
  return { status: 200, headers: { ETag: tag, ...headersOfReads, 'Content-Type': jsonType }, body }
}

/**
 * Returns the answer of a read whose ETag is that of its body, with links to the pages around it. A 304 has the links
 * too: a page can stay as it is while its end moves.
 */
export function pageReply(
  { tag_key }: Pick<CallerRow, 'tag_key'>,
  body: string,
  { ifMatch, ifNoneMatch }: Conditions,
  links?: string,
): ApiResponse {
  const tag = `"${keyedHash(tag_key, body)}"`
  if (!isAllowed(ifMatch, tag)) throw notExpected(hasWeak(ifMatch))
  const reply = readReply(body, tag, ifNoneMatch)
  return links === undefined ? reply : { ...reply, headers: { ...reply.headers, Link: links } }
}

const headersOfReads = { 'Cache-Control': 'private, no-cache', Vary: 'Authorization, Accept-Encoding' } as const

export const jsonType = 'application/json; charset=utf-8'
const problemType = 'application/problem+json; charset=utf-8'

/** The answer of a write, and of its replay. */
export type StoredResponse = {
  status: number
  /** The code of a refusal; null after success. */
  code: RefusalCode | null
  /** The reasons of a refusal, for the log of calls. */
  about?: string[] | null
  headers: { readonly [name: string]: string }
  body: string
  replayed?: boolean
  /** The written record. It is shown if the caller prefers it, and never stored. */
  record?: string | undefined
  /** The record whose ETag is added after the commit. */
  unread?: UnreadRecord
  /** The record that was created. */
  recordId?: number
  /** The effects of each command, for a preview. */
  effects?: readonly Effect[]
}

/** Returns the address of the errors page; without a public URL it is relative to the caller's. */
export const errorsAddress = (publicUrl: string | null): string => `${publicUrl ?? ''}/docs/errors`

export function refusalAnswer(refusal: Refusal, requestId: string, publicUrl: string | null): StoredResponse {
  return {
    status: refusals[refusal.code].status,
    code: refusal.code,
    about: aboutOf(refusal.particulars),
    headers: { ...refusal.particulars.headers },
    body: JSON.stringify(problemBody(refusal, requestId, errorsAddress(publicUrl))),
  }
}

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

/** Adds the preview beside the data, whose envelope stays as it is. */
export const withPlan = (answer: StoredResponse, plan: Preview): StoredResponse => ({
  ...answer,
  body: `${answer.body.slice(0, -1)},"plan":${JSON.stringify(plan)}}`,
})

/** Adds the ETag of the record, if that was not read before the commit. */
export const withTag = (answer: StoredResponse, tag: string | undefined): StoredResponse =>
  answer.unread === undefined ? answer : { ...answer, headers: { ...answer.headers, ETag: tag as string } }

/** Adds the record, if the caller is to get it. */
export const withRecord = (answer: StoredResponse): StoredResponse =>
  answer.record === undefined
    ? answer
    : {
        ...answer,
        headers: { ...answer.headers, 'Preference-Applied': 'return=representation' },
        body: `${answer.body.slice(0, -1)},"record":${answer.record}}`,
      }

export const replyOf = ({ status, code, headers, body }: StoredResponse): ApiResponse => ({
  status,
  headers: { ...headers, ...(code === null ? headersOfWrites : headersOfRefusals) },
  body,
})

/** The header with the id of a write, by which it is undone. */
export const writeIdHeader = 'X-Write-Id'

const headersOfWrites = { 'Content-Type': jsonType } as const
const headersOfRefusals = { 'Content-Type': problemType, 'Cache-Control': 'no-store' } as const

/** Formats a page of records; `records` are their JSON, with commas between. */
export const pageEnvelope = (records: string, total: number, { limit, offset }: PageCut): string =>
  `{"data":[${records}],"meta":${JSON.stringify({ total, limit, offset })}}`

export const envelope = (data: { [member: string]: Json }): string => JSON.stringify({ data })
