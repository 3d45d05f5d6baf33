import { connect, type Socket } from 'node:net'
import { eventually } from './wait.ts'

/** A connection on which nothing is done but what a test does: half a request, no reading, a sudden end. */
export type Raw = {
  socket: Socket
  write(text: string | Buffer): void
  /** What came so far. */
  heard(): string
  /** Waits for this text. */
  hear(text: string): Promise<string>
  /** Settles when the other side has closed, however it did. */
  closed: Promise<void>
}

export type RawOptions = {
  reads?: boolean
  /** An address of this machine that it comes from. */
  from?: string
}

export async function openRaw(base: string, { reads = true, from }: RawOptions = {}): Promise<Raw> {
  const { hostname, port } = new URL(base)
  const socket = connect({ port: Number(port), host: hostname, ...(from === undefined ? {} : { localAddress: from }) })
  let heard = ''
  socket.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  if (reads)
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
    })
  return {
    socket,
    write: (text) => void socket.write(text),
    heard: () => heard,
    hear: (text) =>
      eventually(async () => {
        if (!heard.includes(text)) throw new Error(`${JSON.stringify(text)} was not heard, but: ${heard}`)
        return heard
      }),
    closed,
  }
}

/** The head of a request. */
export const head = (method: string, path: string, headers: { readonly [name: string]: string } = {}): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
    .join('\r\n')
    .concat('\r\n\r\n')
