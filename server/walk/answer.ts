import { hash } from 'node:crypto'
import { isObject, type Json } from '#registry/json.ts'
import { problemBody, type Refusal, type RefusalCode, refusals } from '#registry/refusals.ts'
import type { Reply } from './call.ts'
import type { Tags } from './read-headers.ts'

/** Envelopes, entity tags and conditional reads. Decisions, Replies and Conditional requests. */

const short = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22)

/** The tag of one representation of a record; its version is what If-Match compares. */
export const recordTag = (version: number, json: string): string => `"${version}-${short(json)}"`

export const listTag = (body: string): string => `"${short(body)}"`

/** The versions that an If-Match allows; weak tags never match (RFC 9110 13.1.1). */
export function expectedVersions(tags: Tags | undefined): { versions: number[] } | undefined {
  if (tags === undefined || tags === 'any') return undefined
  const versions = tags
    .filter(({ weak }) => !weak)
    .map(({ opaque }) => /^(\d{1,10})-[\w-]{22}$/.exec(opaque)?.[1])
    .filter((version) => version !== undefined)
  return { versions: versions.map(Number) }
}

/** The answer of a read, or 304 where the caller has it already. */
export function readReply(body: string, tag: string, ifNoneMatch: Tags | undefined): Reply {
  const headers = { ETag: tag, 'Cache-Control': 'private, no-cache', Vary: 'Authorization' }
  if (isKnown(tag, ifNoneMatch)) return { status: 304, headers, body: '' }
  return { status: 200, headers: { ...headers, 'Content-Type': jsonType }, body }
}

export const jsonType = 'application/json; charset=utf-8'
const problemType = 'application/problem+json; charset=utf-8'

/** What a write answers, and what a retry with its key will hear. */
export type Answer = {
  status: number
  /** Of a refusal. */
  code: RefusalCode | null
  headers: { readonly [name: string]: string }
  body: string
  replayed?: boolean
  /** The record that was created. */
  recordId?: number
}

/** Where the errors page is; without a known address of our own it is told from the caller's. */
export const errorsAddress = (publicUrl: string | null): string => `${publicUrl ?? ''}/docs/errors`

export function refusalAnswer(refusal: Refusal, requestId: string, publicUrl: string | null): Answer {
  return {
    status: refusals[refusal.code].status,
    code: refusal.code,
    headers: { ...refusal.particulars.headers },
    body: JSON.stringify(problemBody(refusal, requestId, errorsAddress(publicUrl))),
  }
}

export const replyOf = ({ status, code, headers, body }: Answer): Reply => ({
  status,
  headers: { ...headers, 'Content-Type': code === null ? jsonType : problemType },
  body,
})

export const envelope = (data: { [member: string]: Json }): string => JSON.stringify({ data })

/** Weak comparison: the prefix does not count (RFC 9110 8.8.3.2). */
function isKnown(tag: string, tags: Tags | undefined): boolean {
  if (tags === undefined) return false
  return tags === 'any' || tags.some(({ opaque }) => `"${opaque}"` === tag)
}

/** A body in one spelling, whatever the order of its members or the blanks between them. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name] as Json)}`)
  return `{${members.join(',')}}`
}
