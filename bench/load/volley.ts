import { connect, type Socket } from 'node:net'
import type { ExpectedResponse } from '../adapter.ts'
import { createHistogram, type Histogram, record } from '../histogram.ts'
import { createResponseReader, wrongWith } from './response-reader.ts'

/** The bytes of a request, and the expected answer. */
export type BenchShot = { bytes: string | Buffer; expect: ExpectedResponse }

export type Target = { host: string; port: number; connections: number; milliseconds: number }

export type Volley = { answers: number; milliseconds: number; latency: Histogram; bytes: number }

/**
 * Keeps every connection busy with one request at a time until time is up. The first unexpected answer, and the first
 * lost connection, fails the whole volley: a rate of wrong answers means nothing.
 */
export async function fire(target: Target, next: () => BenchShot): Promise<Volley> {
  const volley: Volley = { answers: 0, milliseconds: 0, latency: createHistogram(), bytes: 0 }
  const sockets = await Promise.all(Array.from({ length: target.connections }, () => openLine(target)))
  const startedAt = performance.now()
  const deadline = startedAt + target.milliseconds
  let late: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    const complain = (): void => reject(new Error(`no answer within ${timeoutMilliseconds / 1000} s`))
    late = setTimeout(complain, target.milliseconds + timeoutMilliseconds)
  })
  try {
    await Promise.race([Promise.all(sockets.map((line) => keepBusy(line, next, deadline, volley))), tooLate])
  } finally {
    clearTimeout(late)
    for (const { socket } of sockets) socket.destroy()
  }
  volley.milliseconds = performance.now() - startedAt
  return volley
}

/** Time after which a run ends by itself, even if the server hangs. */
export const timeoutMilliseconds = 15_000

export type Line = { socket: Socket; onBytes: (chunk: Buffer, length: number) => void }

/**
 * Opens a connection. It reads into one buffer, without allocations. `from` is the local address of the connection.
 */
export function openLine({ host, port, from }: { host: string; port: number; from?: string }): Promise<Line> {
  return new Promise((resolve, reject) => {
    const buffer = Buffer.allocUnsafe(64 * 1024)
    const line: Line = { socket: undefined as unknown as Socket, onBytes: () => {} }
    const callback = (length: number): boolean => {
      line.onBytes(buffer, length)
      return true
    }
    line.socket = connect(
      { host, port, noDelay: true, onread: { buffer, callback }, ...(from ? { localAddress: from } : {}) },
      () => resolve(line),
    )
    line.socket.once('error', reject)
  })
}

function keepBusy(line: Line, next: () => BenchShot, deadline: number, volley: Volley): Promise<void> {
  return new Promise((resolve, reject) => {
    const reader = createResponseReader()
    const { socket } = line
    let sentAt = 0
    let { expect } = { expect: { status: 0 } as ExpectedResponse }
    const send = (): void => {
      const shot = next()
      expect = shot.expect
      sentAt = performance.now()
      socket.write(shot.bytes)
    }
    line.onBytes = (chunk, length) => {
      try {
        const answer = reader.take(chunk, length)
        if (!answer) return
        const now = performance.now()
        const wrong = wrongWith(answer, expect)
        if (wrong) return reject(new Error(wrong))
        volley.answers++
        volley.bytes += answer.body.length
        record(volley.latency, now - sentAt)
        if (now < deadline) send()
        else resolve()
      } catch (error) {
        reject(error)
      }
    }
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server closed a connection while it was used')))
    send()
  })
}
