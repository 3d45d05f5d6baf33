import type { BenchRequest } from '../adapter.ts'
import type { BenchShot } from './volley.ts'

/** Formats a request of HTTP/1.1 on a connection that stays open. */
export function shotOf({ method, path, headers = {}, body, expect }: BenchRequest, host: string): BenchShot {
  const all = {
    Host: host,
    ...headers,
    ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return { bytes: `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`, expect }
}

/** Converts the text of a repeated request to bytes once. */
export const asBytes = ({ bytes, expect }: BenchShot): BenchShot => ({ bytes: Buffer.from(bytes), expect })
