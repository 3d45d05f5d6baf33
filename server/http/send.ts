import { createReadStream } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Reply } from '../walk/call.ts'
import type { Room } from './connections.ts'
import { contentPolicy } from './content-policy.ts'
import { isUnread, readAway } from './read-bytes.ts'

/** An answer as it goes out: a text, bytes, or a file that is read while it is sent. */
export type Sent = Omit<Reply, 'body'> & { body: string | Buffer | StoredFile }

export type StoredFile = { path: string; bytes: number }

export type Exchange = { request: IncomingMessage; response: ServerResponse; room: Room; requestId: string }

/** What is longer goes out in pieces, so that a caller who reads slowly is seen to read. */
const pieceBytes = 32 * 1024
export const wholeBytes = 2 * pieceBytes

/** Whether an answer is so long that there has to be room to hold it. Letters stand for bytes here, of which each has few. */
export const isLong = ({ body }: Pick<Sent, 'body'>): boolean =>
  (typeof body === 'string' || Buffer.isBuffer(body) ? body.length : body.bytes) > wholeBytes

export function send(exchange: Exchange, { status, headers, body }: Sent, closing: boolean): void {
  const { request, response, requestId } = exchange
  const unread = isUnread(request)
  response.writeHead(status, {
    ...contentPolicy,
    ...headers,
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    ...(status === 204 || status === 304 ? {} : { 'Content-Length': lengthOf(body) }),
    // A body that nobody reads would be taken for the next request.
    ...(closing || unread ? { Connection: 'close' } : {}),
  })
  const shown = request.method === 'HEAD' || status === 304 ? '' : body
  if (unread) void endAfterRest(exchange, shown)
  else if (isShort(shown)) endWith(exchange, shown)
  else void sendInPieces(exchange, shown)
}

const lengthOf = (body: Sent['body']): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : Buffer.isBuffer(body) ? body.length : body.bytes

const isShort = (body: Sent['body']): body is string | Buffer =>
  (typeof body === 'string' || Buffer.isBuffer(body)) && !isLong({ body })

function endWith({ response, room }: Exchange, body: string | Buffer): void {
  response.end(body)
  // Mostly the system has taken all of it by now.
  if (response.writableLength > 0) room.hold(response.writableLength)
}

/** The answer goes out at once; the connection is closed when what the caller still sends has been read. */
async function endAfterRest({ request, response, room }: Exchange, body: Sent['body']): Promise<void> {
  if (typeof body === 'string' || Buffer.isBuffer(body)) response.write(body)
  else await pipeline(createReadStream(body.path), response, { end: false }).catch(() => response.destroy())
  await readAway(request, room)
  response.end()
}

async function sendInPieces({ response, room }: Exchange, body: Sent['body']): Promise<void> {
  try {
    if (typeof body === 'string' || Buffer.isBuffer(body)) {
      const bytes = Buffer.from(body as string)
      room.hold(bytes.length)
      await pipeline(Readable.from(piecesOf(bytes), { objectMode: false }), inTurns(room), response)
    } else {
      room.hold(2 * pieceBytes)
      await pipeline(createReadStream(body.path, { highWaterMark: pieceBytes }), inTurns(room), response)
    }
  } catch {
    // The caller has hung up, or reads nothing and was cut off.
    response.destroy()
  }
}

/** Between the requests of others: the system takes megabytes for each of a thousand connections at once. */
export const inTurns = ({ turn }: Room) =>
  async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      await turn()
      yield piece
    }
  }

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}
