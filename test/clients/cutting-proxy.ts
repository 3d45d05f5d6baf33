import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** What becomes of a call on its way: `repeated` arrives twice, of `cut` the answer comes in part. */
export type Fate = 'passed' | 'never arrived' | 'answer lost' | 'cut' | 'delayed' | 'repeated' | 'turned away'

export type CuttingProxy = { url: string; fates: Map<Fate, number>; close(): Promise<void> }

const delayMs = 20

/** A way to the service. The n-th key that comes meets the fates of `fatesOf(n)`, an attempt each, and then none. */
export async function openCuttingProxy(target: string, fatesOf: (n: number) => readonly Fate[]): Promise<CuttingProxy> {
  const fates = new Map<Fate, number>()
  const ahead = new Map<string, Fate[]>()
  const server = createServer((incoming, outgoing) => {
    const key = String(incoming.headers['idempotency-key'])
    const left = ahead.get(key) ?? [...fatesOf(ahead.size)]
    ahead.set(key, left)
    const fate = left.shift() ?? 'passed'
    fates.set(fate, (fates.get(fate) ?? 0) + 1)
    void meet(fate, incoming, outgoing).catch(() => outgoing.destroy())
  })

  async function meet(fate: Fate, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming)
    if (fate === 'never arrived') return void incoming.socket.destroy()
    if (fate === 'turned away')
      return void outgoing.writeHead(502, { 'Content-Type': 'text/html' }).end('<p>Bad gateway')
    if (fate === 'delayed') await new Promise((resolve) => setTimeout(resolve, delayMs))
    const answers = await Promise.all((fate === 'repeated' ? [0, 1] : [0]).map(() => forward(incoming, body)))
    const answer = answers.at(-1) as ForwardedRequest
    if (fate === 'answer lost') return void incoming.socket.destroy()
    outgoing.writeHead(answer.status, answer.headers)
    if (fate !== 'cut') return void outgoing.end(answer.body)
    outgoing.write(answer.body.subarray(0, answer.body.length / 2), () => incoming.socket.destroy())
  }

  const forward = ({ method, url, headers }: IncomingMessage, body: Buffer): Promise<ForwardedRequest> =>
    new Promise((resolve, reject) => {
      const sent = request(new URL(url ?? '/', target), { method, headers, agent: false }, async (answer) => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) })
      })
      sent.on('error', reject).end(body)
    })

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fates,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type ForwardedRequest = { status: number; headers: IncomingMessage['headers']; body: Buffer }
