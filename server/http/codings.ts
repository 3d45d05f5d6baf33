import { hash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, createBrotliCompress, createGzip, gzip, constants as zlib } from 'node:zlib'
import accept from '@fastify/accept-negotiator'
import { readTags } from '#derive/expected-version.ts'
import type { ApiResponse } from '../pipeline/call.ts'
import { type Coding, codings, knownForm, tagOfForm } from '../protocol/entity-tags.ts'
import type { HttpResponse, StoredFile } from './send.ts'

/** Encodes texts and files: plain, or in the caller's preferred coding (RFC 9110 12.5.3). */

export type AcceptHeaders = { 'accept-encoding'?: string | undefined; 'if-none-match'?: string | undefined }

/** Codings are compared without case (RFC 9110 8.4.1). */
export const codingFor = ({ 'accept-encoding': header }: AcceptHeaders): Coding | undefined =>
  (accept.negotiate((header ?? '').toLowerCase(), [...codings]) ?? undefined) as Coding | undefined

const compressBytes = (bytes: Buffer, coding: Coding, effort: number): Promise<Buffer> =>
  coding === 'br'
    ? promisify(brotliCompress)(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: effort } })
    : promisify(gzip)(bytes, { level: effort })

/** Returns a stream that compresses chunk by chunk, at the effort of data. */
export const createCompressor = (coding: Coding): Transform =>
  coding === 'br'
    ? createBrotliCompress({ params: { [zlib.BROTLI_PARAM_QUALITY]: effortOfData.br } })
    : createGzip({ level: effortOfData.gzip })

const digestOf = (content: string | Buffer): string => hash('sha256', content, 'base64url').slice(0, 22)

/** True if the caller has the content in any coding. A malformed condition is ignored. */
function isKnown(digest: string, { 'if-none-match': given }: AcceptHeaders): boolean {
  return given !== undefined && knownForm(`"${digest}"`, readTags(given)) !== undefined
}

/** Pages of other sites may load public documents. No other response has these headers: no page reads data. */
export const openToAll = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'ETag' } as const

/** Headers for a browser that asks before it loads a document with headers of its own (Fetch, CORS-preflight). */
export const preflightHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
} as const

/** Each text is for one caller and sent once, so the least effort: the next step costs more than it saves. */
const effortOfData = { br: 4, gzip: 1 } as const

/** Longest UTF-8 of one UTF-16 unit. */
const bytesOfUnitMost = 3

/**
 * Encodes data in the caller's preferred coding. Reads the headers, through `accepts`, only for texts that are not
 * short. A read's tag differs by coding; a write's ETag is the record's and stays.
 */
export async function inCoding(
  reply: ApiResponse,
  accepts: () => AcceptHeaders,
  isRead: boolean,
): Promise<TextResponse> {
  if (reply.body.length * bytesOfUnitMost <= leastBytes || accepts()['accept-encoding'] === undefined) return reply
  const bytes = Buffer.from(reply.body)
  const coding = bytes.length <= leastBytes ? undefined : codingFor(accepts())
  if (coding === undefined) return { ...reply, body: bytes }
  const { ETag: tag, Vary = 'Accept-Encoding', ...headers } = reply.headers
  const tagged = tag === undefined ? {} : { ETag: isRead ? tagOfForm(tag, coding) : tag }
  const body = await compressBytes(bytes, coding, effortOfData[coding])
  return { status: reply.status, headers: { ...headers, ...tagged, Vary, 'Content-Encoding': coding }, body }
}

/** A response whose content is in memory. */
export type TextResponse = Omit<ApiResponse, 'body'> & { body: string | Buffer }

/** Count of compressed texts in the cache; the least recently used is dropped. */
const keptMost = 16
/** Smaller texts shrink little, and fit into one packet. */
const leastBytes = 1024
/** Measured on the OpenAPI document: 3 ms each. The next step costs four times that for a tenth of the bytes. */
const effort = { br: 5, gzip: 6 } as const

/**
 * Sends texts that are built for each request: tagged, and compressed once while they stay the same. The cache is
 * keyed by the text's hash, so it never returns an old text.
 */
export function openCoder(): (made: TextResponse, accepts: AcceptHeaders) => Promise<HttpResponse> {
  const kept = new Map<string, Promise<Buffer>>()
  const codedOnce = (bytes: Buffer, coding: Coding, key: string): Promise<Buffer> => {
    const coded = kept.get(key) ?? compressBytes(bytes, coding, effort[coding])
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

type Form = Pick<HttpResponse, 'status' | 'headers'> & { digest: string; coding: Coding | undefined }

/** Returns one form of a content, or 304 without a body if the caller has the content. */
async function inForm(
  { status, headers, digest, coding }: Form,
  accepts: AcceptHeaders,
  body: () => HttpResponse['body'] | Promise<HttpResponse['body']>,
): Promise<HttpResponse> {
  const tagged = { ...headers, ETag: tagOfForm(`"${digest}"`, coding), Vary: 'Accept-Encoding' }
  if (isKnown(digest, accepts)) return { status: 304, headers: withoutContent(tagged), body: '' }
  const coded = coding === undefined ? tagged : { ...tagged, 'Content-Encoding': coding }
  return { status, headers: coded, body: await body() }
}

/** A 304 has no content to describe. */
const withoutContent = ({ 'Content-Type': _, ...headers }: ApiResponse['headers']): ApiResponse['headers'] => headers

const endings = { br: 'br', gzip: 'gz' } as const

/**
 * Returns a file of the current build, in the caller's coding if the compressed form is beside it; undefined if there
 * is none. Nothing is cached, because a build may replace another while the service runs.
 */
export async function builtFile(
  file: string,
  headers: HttpResponse['headers'],
  accepts: AcceptHeaders,
): Promise<HttpResponse | undefined> {
  const found = await findFile(file)
  if (!found) return undefined
  const liked = codingFor(accepts)
  const coded = liked && (await findFile(`${file}.${endings[liked]}`))
  const digest = digestOf(`${file} ${found.bytes} ${found.changedAt}`)
  const form = { status: 200, headers, digest, coding: coded && liked }
  return inForm(form, accepts, () => coded ?? found)
}

/** Returns undefined if there is no such file. */
async function findFile(path: string): Promise<(StoredFile & { changedAt: number }) | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() ? { path, bytes: found.size, changedAt: found.mtimeMs } : undefined
}
