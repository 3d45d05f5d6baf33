import { Agent, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

/** A call on the wire, with nothing done to it: headers given twice stay twice, a body is the bytes given. */
export type Wire = {
  method: string
  path: string
  headers?: readonly (readonly [string, string])[]
  body?: string | Buffer | undefined
  agent?: Agent
  /** The local address to call from. */
  from?: string
}

export type TestResponse = {
  status: number
  headers: { [name: string]: string | undefined }
  /** The content, decoded. */
  text: string
  /** Bytes that came over the wire for it. */
  sent: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely; the document checks their shape
  body: any
}

function decoded(bytes: Buffer, coding: string | undefined): Buffer {
  if (bytes.length === 0) return bytes
  return coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes
}

const agent = new Agent({ keepAlive: true, maxSockets: 200 })

export function send(base: string, wire: Wire): Promise<TestResponse> {
  const { hostname, port } = new URL(base)
  const bytes = wire.body === undefined ? undefined : Buffer.from(wire.body)
  const headers = (wire.headers ?? []).flat()
  const isGiven = (name: string) => (wire.headers ?? []).some(([given]) => given.toLowerCase() === name)
  if (!isGiven('host')) headers.push('Host', `${hostname}:${port}`)
  if (bytes && !isGiven('content-length') && !isGiven('transfer-encoding'))
    headers.push('Content-Length', String(bytes.length))
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        hostname,
        port,
        method: wire.method,
        path: wire.path,
        headers,
        agent: wire.agent ?? agent,
        ...(wire.from ? { localAddress: wire.from } : {}),
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const sent = Buffer.concat(chunks)
          const text = decoded(sent, response.headers['content-encoding']).toString('utf8')
          const isJson = /json/.test(response.headers['content-type'] ?? '')
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as TestResponse['headers'],
            text,
            sent: sent.length,
            body: isJson && text !== '' ? JSON.parse(text) : undefined,
          })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(bytes)
  })
}
