import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import accept from '@fastify/accept-negotiator'
import type { Reply } from '../walk/call.ts'
import type { Sent } from './send.ts'

/** How texts and files go out: as they are, or in the coding that the caller likes best (RFC 9110 12.5.3). */

export const codings = ['br', 'gzip'] as const
export type Coding = (typeof codings)[number]

export type Accepts = { 'accept-encoding'?: string | undefined; 'if-none-match'?: string | undefined }

export const codingFor = ({ 'accept-encoding': header }: Accepts): Coding | undefined =>
  (accept.negotiate(header ?? '', [...codings]) ?? undefined) as Coding | undefined

export const compressed = (bytes: Buffer, coding: Coding, effort: number): Promise<Buffer> =>
  coding === 'br'
    ? promisify(brotliCompress)(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: effort } })
    : promisify(gzip)(bytes, { level: effort })

/** The tag of one form of a content: each coding has its own (RFC 9110 8.8.3.3). */
export const tagOf = (digest: string, coding: Coding | undefined): string =>
  coding === undefined ? `"${digest}"` : `"${digest}-${coding}"`

export const digestOf = (content: string | Buffer): string => hash('sha256', content, 'base64url').slice(0, 22)

/** Whether the caller has the content already, in whichever coding. A condition that cannot be read is none. */
export function isKnown(digest: string, { 'if-none-match': given }: Accepts): boolean {
  if (given === undefined) return false
  const tags = [undefined, ...codings].map((coding) => tagOf(digest, coding))
  return given.split(',').some((item) => item.trim() === '*' || tags.includes(item.trim().replace(/^W\//, '')))
}

/** An answer before it is tagged and compressed. */
export type Made = Omit<Reply, 'body'> & { body: string | Buffer }

/** Texts that are kept compressed, the last ones asked for. */
const keptMost = 16
/** Less is hardly smaller compressed, and one packet anyway. */
const leastBytes = 1024
/** Measured on the OpenAPI document: 3 ms each, and the next step costs four times that for a tenth of the bytes. */
const effort = { br: 5, gzip: 6 } as const

/**
 * Sends texts that are made anew for each request: tagged, and compressed once as long as they stay the same. What is
 * kept hangs on the hash of the text, so nothing old is ever sent.
 */
export function openCoder(): (made: Made, accepts: Accepts) => Promise<Sent> {
  const kept = new Map<string, Promise<Buffer>>()
  const codedOnce = (bytes: Buffer, coding: Coding, key: string): Promise<Buffer> => {
    const coded = kept.get(key) ?? compressed(bytes, coding, effort[coding])
    kept.delete(key)
    kept.set(key, coded)
    const [oldest] = kept.keys()
    if (kept.size > keptMost && oldest !== undefined) kept.delete(oldest)
    return coded
  }
  return async ({ status, headers, body }, accepts) => {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const digest = digestOf(bytes)
    const coding = bytes.length < leastBytes ? undefined : codingFor(accepts)
    const tagged = { ...headers, ETag: tagOf(digest, coding), Vary: 'Accept-Encoding' }
    if (isKnown(digest, accepts)) return { status: 304, headers: withoutContent(tagged), body: '' }
    if (coding === undefined) return { status, headers: tagged, body: bytes }
    const coded = await codedOnce(bytes, coding, `${digest}-${coding}`)
    return { status, headers: { ...tagged, 'Content-Encoding': coding }, body: coded }
  }
}

/** A 304 has no content to describe. */
const withoutContent = ({ 'Content-Type': _, ...headers }: Reply['headers']): Reply['headers'] => headers
