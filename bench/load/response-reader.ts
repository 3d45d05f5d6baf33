import type { ExpectedResponse } from '../adapter.ts'

/** Reads the answers of one connection, one at a time, with the least work of an exact reader. */
export type ResponseReader = {
  /** Takes a chunk. Returns the answer once it is complete. */
  take(chunk: Buffer, length: number): ReadResponse | undefined
}

/** An answer, valid until the next `take`. */
export type ReadResponse = { status: number; body: Buffer }

export function createResponseReader(): ResponseReader {
  let held = Buffer.allocUnsafe(128 * 1024)
  let filled = 0
  let head: Head | undefined

  return {
    take(chunk, length) {
      if (filled + length > held.length) {
        held = Buffer.concat([held.subarray(0, filled)], 2 * (filled + length))
      }
      chunk.copy(held, filled, 0, length)
      filled += length
      head ??= readHead(held, filled)
      if (!head) return undefined
      const end = head.length === 'chunked' ? chunkedEnd(held, head.bodyAt, filled) : head.bodyAt + head.length
      if (end === undefined || filled < end) return undefined
      if (filled > end) throw new Error('more arrived than one answer')
      const { status, bodyAt, length: framing } = head
      const body = held.subarray(bodyAt, end)
      filled = 0
      head = undefined
      return { status, body: framing === 'chunked' ? joined(body) : body }
    },
  }
}

type Head = { status: number; bodyAt: number; length: number | 'chunked' }

const headEnd = Buffer.from('\r\n\r\n')

function readHead(held: Buffer, filled: number): Head | undefined {
  const at = held.indexOf(headEnd)
  if (at < 0 || at + headEnd.length > filled) return undefined
  const text = held.toString('latin1', 0, at + 2)
  const status = Number(text.slice(9, 12))
  const bodyAt = at + headEnd.length
  if (status === 204 || status === 304) return { status, bodyAt, length: 0 }
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
  if (length !== undefined) return { status, bodyAt, length: Number(length) }
  if (/\r\ntransfer-encoding: *chunked\r\n/i.test(text)) return { status, bodyAt, length: 'chunked' }
  throw new Error(`an answer of unknown length: ${text}`)
}

/** Returns the end of a chunked body, or undefined while it is incomplete. */
function chunkedEnd(held: Buffer, from: number, filled: number): number | undefined {
  for (let at = from; ; ) {
    const { size, next } = chunkAt(held, at, filled)
    if (size === undefined) return undefined
    at = next + size + 2
    if (size === 0) return at
  }
}

function joined(body: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const { size, next } = chunkAt(body, at, body.length)
    if (size === undefined || size === 0) return Buffer.concat(parts)
    parts.push(body.subarray(next, next + size))
    at = next + size + 2
  }
}

function chunkAt(held: Buffer, at: number, filled: number): { size: number | undefined; next: number } {
  const lineEnd = held.indexOf('\r\n', at, 'latin1')
  if (lineEnd < 0 || lineEnd >= filled) return { size: undefined, next: at }
  return { size: Number.parseInt(held.toString('latin1', at, lineEnd), 16), next: lineEnd + 2 }
}

/** Returns the problem of an answer, or undefined if it is as expected. */
export function wrongWith(
  { status, body }: ReadResponse,
  { status: wanted, begins, ends, bytesMin = 0 }: ExpectedResponse,
): string | undefined {
  const shown = (): string => `${status} ${body.toString('utf8', 0, 400)}`
  if (status !== wanted) return `expected ${wanted}, got ${shown()}`
  if (body.length < bytesMin) return `expected at least ${bytesMin} bytes, got ${body.length}: ${shown()}`
  if (begins !== undefined && body.toString('utf8', 0, Buffer.byteLength(begins)) !== begins) {
    return `expected ${begins}…, got ${shown()}`
  }
  if (ends !== undefined && body.toString('utf8', Math.max(0, body.length - Buffer.byteLength(ends))) !== ends) {
    return `expected …${ends}, got ${shown()}`
  }
  return undefined
}
