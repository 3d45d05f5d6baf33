import { hash } from 'node:crypto'
import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, createBrotliCompress, createGzip, gzip, constants as zlib } from 'node:zlib'
import accept from '@fastify/accept-negotiator'
import type { Reply } from '../pipeline/call.ts'
import { type Coding, codings, knownForm, readTags, tagOfForm } from '../protocol/entity-tags.ts'
import type { Sent } from './send.ts'

/** How texts and files go out: as they are, or in the coding that the caller likes best (RFC 9110 12.5.3). */

export type Accepts = { 'accept-encoding'?: string | undefined; 'if-none-match'?: string | undefined }

/** Codings are compared without case (RFC 9110 8.4.1). */
export const codingFor = ({ 'accept-encoding': header }: Accepts): Coding | undefined =>
  (accept.negotiate((header ?? '').toLowerCase(), [...codings]) ?? undefined) as Coding | undefined

export const compressed = (bytes: Buffer, coding: Coding, effort: number): Promise<Buffer> =>
  coding === 'br'
    ? promisify(brotliCompress)(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: effort } })
    : promisify(gzip)(bytes, { level: effort })

/** The same for what is written piece by piece, at the effort of data. */
export const compressing = (coding: Coding): Transform =>
  coding === 'br'
    ? createBrotliCompress({ params: { [zlib.BROTLI_PARAM_QUALITY]: effortOfData.br } })
    : createGzip({ level: effortOfData.gzip })

export const digestOf = (content: string | Buffer): string => hash('sha256', content, 'base64url').slice(0, 22)

/** Whether the caller has the content already, in whichever coding. A condition that cannot be read is none. */
function isKnown(digest: string, { 'if-none-match': given }: Accepts): boolean {
  return given !== undefined && knownForm(`"${digest}"`, readTags(given)) !== undefined
}

/** Public documents may be loaded by pages of other sites. Nothing else says so, so no such page reads any data. */
export const openToAll = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'ETag' } as const

/** What a browser is answered that asks before it loads one with headers of the page's own (Fetch, CORS-preflight). */
export const preflightHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
} as const

/** Made for one caller and sent once, so the least effort: the next step costs more than it saves. */
const effortOfData = { br: 4, gzip: 1 } as const

/** In UTF-8. */
const bytesOfUnitMost = 3

/**
 * An answer with data in the coding that its caller likes best; of a short one the headers, which `accepts` looks up, are
 * not looked at. That of a read has a tag for each form; what a write
 * says in ETag is about the record and not about its own answer.
 */
export async function inCoding(reply: Reply, accepts: () => Accepts, isRead: boolean): Promise<Made> {
  if (reply.body.length * bytesOfUnitMost <= leastBytes || accepts()['accept-encoding'] === undefined) return reply
  const bytes = Buffer.from(reply.body)
  const coding = bytes.length <= leastBytes ? undefined : codingFor(accepts())
  if (coding === undefined) return { ...reply, body: bytes }
  const { ETag: tag, Vary = 'Accept-Encoding', ...headers } = reply.headers
  const tagged = tag === undefined ? {} : { ETag: isRead ? tagOfForm(tag, coding) : tag }
  const body = await compressed(bytes, coding, effortOfData[coding])
  return { status: reply.status, headers: { ...headers, ...tagged, Vary, 'Content-Encoding': coding }, body }
}

/** An answer whose content is at hand. */
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
    return inForm({ status, headers, digest, coding }, accepts, () =>
      coding === undefined ? bytes : codedOnce(bytes, coding, `${digest}-${coding}`),
    )
  }
}

type Form = Pick<Sent, 'status' | 'headers'> & { digest: string; coding: Coding | undefined }

/** One form of a content, or, without its body, that the caller has the content already. */
export async function inForm(
  { status, headers, digest, coding }: Form,
  accepts: Accepts,
  body: () => Sent['body'] | Promise<Sent['body']>,
): Promise<Sent> {
  const tagged = { ...headers, ETag: tagOfForm(`"${digest}"`, coding), Vary: 'Accept-Encoding' }
  if (isKnown(digest, accepts)) return { status: 304, headers: withoutContent(tagged), body: '' }
  const coded = coding === undefined ? tagged : { ...tagged, 'Content-Encoding': coding }
  return { status, headers: coded, body: await body() }
}

/** A 304 has no content to describe. */
const withoutContent = ({ 'Content-Type': _, ...headers }: Reply['headers']): Reply['headers'] => headers
