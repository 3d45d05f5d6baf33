import type { IncomingMessage } from 'node:http'
import { bodyBytesMax } from '#registry/limits.ts'
import type { Body } from '../protocol/body.ts'
import { overloaded } from './admission.ts'
import type { Budget } from './connections.ts'

/**
 * Thrown where the caller hung up in the middle of his request: nobody is left to answer, and nothing has failed. Made
 * once: thousands may hang up together, and an error notes where it was made each time.
 */
export const callerGone = new Error('the caller hung up')

/** A body on its way in. */
export type Upload = {
  /** Goes on receiving until the end, or until there are more than so many bytes; whether it is all there. */
  upTo(bytes: number): Promise<boolean>
  /** What has come so far. */
  bytes(): Buffer
}

const firstBytes = 4096

/**
 * Refused where there is no room to hold it. It is received into one buffer that grows: a list of what came in each
 * packet would take many times the room of a body that is sent byte by byte.
 */
export function receive(request: IncomingMessage, budget: Budget, keptMax: number): Upload {
  let buffer = Buffer.alloc(0)
  let size = 0
  const keep = (chunk: Buffer): void => {
    const needed = size + chunk.length
    if (needed > buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, 2 * buffer.length, firstBytes))
      const more = grown.length - buffer.length
      if (!budget.has(more)) throw overloaded
      budget.hold(more)
      buffer.copy(grown, 0, 0, size)
      buffer = grown
    }
    chunk.copy(buffer, size)
    size = needed
  }
  return {
    bytes: () => buffer.subarray(0, size),
    upTo: (most) =>
      new Promise((resolve, reject) => {
        if (request.readableEnded) return resolve(true)
        if (request.destroyed) return reject(callerGone)
        const done = (): void => {
          request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone)
          request.pause()
        }
        const onData = (chunk: Buffer): void => {
          try {
            if (size + chunk.length <= keptMax) keep(chunk)
            else size += chunk.length
            if (size <= most) return
            done()
            resolve(false)
          } catch (error) {
            done()
            reject(error)
          }
        }
        const onEnd = (): void => {
          done()
          resolve(true)
        }
        const onGone = (): void => {
          done()
          reject(callerGone)
        }
        request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone).resume()
      }),
  }
}

/** The whole of a body that has so many bytes at most. One that says it has more is not received at all. */
export async function readBytes(request: IncomingMessage, budget: Budget, most: number): Promise<Body> {
  if ((declaredLength(request) ?? 0) > most) return 'too large'
  const upload = receive(request, budget, most)
  return (await upload.upTo(most)) ? { bytes: upload.bytes() } : 'too large'
}

/** Undefined where it is sent in chunks. A request that says nothing has no body. */
export function declaredLength({ headers }: IncomingMessage): number | undefined {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined
}

/** Whether the caller is still sending, or about to, what nobody is going to read. */
export const isUnread = (request: IncomingMessage): boolean => !request.complete && declaredLength(request) !== 0

const awayBytes = bodyBytesMax
const awayMilliseconds = 1000

/**
 * Reads away what is left of a request that has been answered, within reason: a connection that is closed with bytes
 * unread is reset, and the answer lost. A caller who waits to be told to go on has nothing on its way. Piece by piece, between
 * the requests of others.
 */
export function readAway(request: IncomingMessage, { turn }: Budget): Promise<void> {
  if (request.complete || request.destroyed || request.headers.expect !== undefined) return Promise.resolve()
  return new Promise((resolve) => {
    let size = 0
    const done = (): void => {
      clearTimeout(timer)
      request.off('data', onData).off('end', done).off('error', done).off('close', done)
      resolve()
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      request.pause()
      if (size > awayBytes) done()
      else void turn().then(() => request.resume())
    }
    const timer = setTimeout(done, awayMilliseconds)
    request.on('data', onData).on('end', done).on('error', done).on('close', done).resume()
  })
}
