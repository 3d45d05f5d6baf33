import { createReadStream } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ApiResponse } from '../pipeline/call.ts'
import { eachWithin, type Limit, pour } from '../wait/wait.ts'
import type { Budget } from './connections.ts'
import { isUnread, readAway } from './read-bytes.ts'

/** An answer to send: a text, bytes, a file that is read meanwhile, or a stream. */
export type HttpResponse = Omit<ApiResponse, 'body'> & {
  body: string | Buffer | StoredFile | Readable
  /** The cookies to set, each a value of Set-Cookie. */
  cookies?: string[]
}

export type StoredFile = { path: string; bytes: number }

export type Exchange = { request: IncomingMessage; response: ServerResponse; budget: Budget; requestId: string }

/** Longer bodies are written in chunks of this size, so that the write timeout sees a slow reader's progress. */
const pieceBytes = 32 * 1024
export const wholeBytes = 2 * pieceBytes
/** Longer than a page of an export takes that waits for a connection and for its statement. */
const pieceLimit: Limit = { ms: 120_000, of: 'the next part of an answer' }

/** Returns whether an answer is so long that it needs room in memory. The length of a text stands for its bytes. */
export const isLong = ({ body }: Pick<HttpResponse, 'body'>): boolean =>
  body instanceof Readable || (isWhole(body) ? body.length : body.bytes) > wholeBytes

const isWhole = (body: HttpResponse['body']): body is string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body)

export function send(exchange: Exchange, { status, headers, body, cookies }: HttpResponse, closing: boolean): void {
  const { request, response, requestId } = exchange
  const unread = isUnread(request)
  response.writeHead(status, {
    ...contentPolicy,
    ...headers,
    ...(cookies && cookies.length > 0 ? { 'Set-Cookie': cookies } : {}),
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    ...(status === 204 || status === 304 || body instanceof Readable ? {} : { 'Content-Length': lengthOf(body) }),
    // An unread body would be parsed as the next request.
    ...(closing || unread ? { Connection: 'close' } : {}),
  })
  const isShown = request.method !== 'HEAD' && status !== 304
  if (!isShown && body instanceof Readable) body.destroy()
  const shown = isShown ? body : ''
  if (unread) void endAfterRest(exchange, shown)
  else if (isShort(shown)) endWith(exchange, shown)
  else void sendInPieces(exchange, shown)
}

const lengthOf = (body: Exclude<HttpResponse['body'], Readable>): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : Buffer.isBuffer(body) ? body.length : body.bytes

const isShort = (body: HttpResponse['body']): body is string | Buffer => isWhole(body) && !isLong({ body })

function endWith({ response, budget }: Exchange, body: string | Buffer): void {
  response.end(body)
  // Usually the system has taken all of it by now.
  if (response.writableLength > 0) budget.hold(response.writableLength)
}

/** Sends the answer at once. Closes the connection after the rest of the request is read. */
async function endAfterRest({ request, response, budget }: Exchange, body: HttpResponse['body']): Promise<void> {
  if (isWhole(body)) response.write(body)
  else {
    const pieces = eachWithin<Buffer>(pieceLimit, readableOf(body))
    await pour('the caller’s connection', [pieces, response], { end: false }).catch(() => response.destroy())
  }
  await readAway(request, budget)
  response.end()
}

async function sendInPieces({ response, budget }: Exchange, body: HttpResponse['body']): Promise<void> {
  try {
    budget.hold(isWhole(body) ? lengthOf(body) : 2 * pieceBytes)
    const pieces = Readable.from(inTurns(budget, readableOf(body)), { objectMode: false })
    await pour('the caller’s connection', [pieces, response])
  } catch {
    // The caller has hung up, or read nothing and was cut off.
    response.destroy()
  }
}

function readableOf(body: HttpResponse['body']): Readable {
  if (body instanceof Readable) return body
  if (isWhole(body)) return Readable.from(piecesOf(Buffer.from(body as string)), { objectMode: false })
  return createReadStream(body.path, { highWaterMark: pieceBytes })
}

/** Yields chunks between the requests of others: the system would buffer megabytes for each connection. */
async function* inTurns({ turn }: Budget, pieces: Readable): AsyncGenerator<Buffer> {
  for await (const piece of eachWithin<Buffer>(pieceLimit, pieces)) {
    await turn()
    yield piece
  }
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** The policy of every answer that a browser may open as a page: load nothing, and allow no frame. */
export const contentPolicy = { 'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'" }
