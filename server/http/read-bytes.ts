import type { IncomingMessage } from 'node:http'
import { bodyBytesMax } from '#registry/limits.ts'
import { type Body, emptyBody } from '../protocol/body.ts'
import { waitFor } from '../wait/wait.ts'
import { overloadedRefusal } from './admission.ts'
import type { Budget } from './connections.ts'

/** Thrown if the caller hung up. Created once: thousands may do so together, and an error records its stack. */
export const callerGone = new Error('the caller hung up')

const firstBytes = 4096

/**
 * Receives a body, or refuses it if there is no memory for it. Uses one growing buffer: a list of packets would take
 * many times the size of a body that arrives byte by byte.
 */
function receive(request: IncomingMessage, budget: Budget, keptMax: number) {
  let buffer = Buffer.alloc(0)
  let size = 0
  const keep = (chunk: Buffer): void => {
    const needed = size + chunk.length
    if (needed > buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, 2 * buffer.length, firstBytes))
      const more = grown.length - buffer.length
      if (!budget.has(more)) throw overloadedRefusal
      budget.hold(more)
      buffer.copy(grown, 0, 0, size)
      buffer = grown
    }
    chunk.copy(buffer, size)
    size = needed
  }
  return {
    bytes: (): Buffer => buffer.subarray(0, size),
    /** Receives until the end, or until the body exceeds this size. Returns whether it is complete. */
    upTo: (most: number): Promise<boolean> =>
      waitFor('the caller’s connection', (resolve, reject) => {
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

/** Reads a whole body up to this size. A larger declared length is refused at once. */
export async function readBytes(request: IncomingMessage, budget: Budget, most: number): Promise<Body> {
  if ((declaredLength(request) ?? 0) > most) return 'too large'
  const upload = receive(request, budget, most)
  return (await upload.upTo(most)) ? { bytes: upload.bytes() } : 'too large'
}

/** Returns undefined for a chunked body. A request that declares nothing has no body. */
function declaredLength({ headers }: IncomingMessage): number | undefined {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined
}

/** True if the caller sends, or is about to send, a body that will not be read. */
export const isUnread = (request: IncomingMessage): boolean => !request.complete && declaredLength(request) !== 0

const awayBytes = bodyBytesMax
const awayMilliseconds = 1000

/**
 * Reads the rest of a request after its response, within a limit. Closing a connection with unread bytes resets it,
 * and the response is lost. A caller that waits for 100 Continue sends nothing.
 */
export function readAway(request: IncomingMessage, { turn }: Budget): Promise<void> {
  if (request.complete || request.destroyed || request.headers.expect !== undefined) return Promise.resolve()
  return waitFor('its own timer', (resolve) => {
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

/** Bytes received from any caller; more only from an authorized one. */
const strangersBytes = 64 * 1024
/** Bytes read together with the caller's row; more only after the caller is known. */
const unseenBytes = 4 * 1024

/**
 * Reads the body of a call. `isWanted` authorizes the caller, or refuses, and returns whether the call needs its body.
 * Most bodies are small and need no such query. Decisions, Bodies.
 */
export async function readBody(
  request: IncomingMessage,
  budget: Budget,
  most: number,
  isWanted: () => Promise<boolean>,
): Promise<Body> {
  const declared = declaredLength(request)
  // The refusal needs nothing of the body.
  if (declared !== undefined && declared > most) return 'too large'
  const upload = receive(request, budget, most)
  const waits = request.headers.expect !== undefined
  const isLarge = declared !== undefined && declared > strangersBytes
  const isWhole = !waits && !isLarge && (await upload.upTo(strangersBytes))
  if (isWhole && upload.bytes().length <= unseenBytes) return { bytes: upload.bytes() }
  if (!(await isWanted())) return emptyBody
  return isWhole || (await upload.upTo(most)) ? { bytes: upload.bytes() } : 'too large'
}
