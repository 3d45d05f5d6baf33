import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'

/** Somebody who receives webhooks, and behaves as a test wants. */
export type Receiver = {
  url: string
  /** All that came, whatever was answered. */
  got: ReceivedMessage[]
  /** What it does from now on; `count` is how many came before this one. */
  behave(how: (got: ReceivedMessage, count: number) => Behaviour | Promise<Behaviour>): void
  /** The ids that were answered with success, each as often as it came. */
  taken(): string[]
  close(): Promise<void>
}

export type ReceivedMessage = {
  id: string
  type: string
  headers: { [name: string]: string }
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely
  data: any
  at: number
}

export type Behaviour =
  | 'hang'
  | 'close'
  | { status: number; headers?: { [name: string]: string }; body?: string | Buffer; goesOn?: true }

export const ok: Behaviour = { status: 204 }

export async function openReceiver(port = 0): Promise<Receiver> {
  const got: ReceivedMessage[] = []
  const taken: string[] = []
  let how: (got: ReceivedMessage, count: number) => Behaviour | Promise<Behaviour> = () => ok
  const server = createServer(async (request, response) => {
    const one = await read(request)
    const behaviour = await how(one, got.push(one) - 1)
    if (typeof behaviour === 'object' && behaviour.status < 300) taken.push(one.id)
    answer(response, behaviour)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    got,
    behave(next) {
      how = next
    },
    taken: () => taken,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** What the library of a receiver makes of it; throws where the signature is wrong. */
export const verified = (secret: string, { text, headers }: ReceivedMessage): unknown =>
  new Webhook(secret).verify(text, headers)

async function read(request: IncomingMessage): Promise<ReceivedMessage> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  const { type, data } = JSON.parse(text)
  const headers = request.headers as { [name: string]: string }
  return { id: headers['webhook-id'] as string, type, headers, text, data, at: performance.now() }
}

function answer(response: ServerResponse, behaviour: Behaviour): void {
  if (behaviour === 'hang') return
  if (behaviour === 'close') return void response.destroy()
  response.writeHead(behaviour.status, behaviour.headers)
  if (behaviour.goesOn) response.write(behaviour.body)
  else response.end(behaviour.body)
}

/** A receiver that writes bytes of its own choice, once a message has come whole or before it is read. */
export async function openSocketServer(behave: (socket: Socket) => void, when: 'connected' | 'received' = 'received') {
  const sockets = new Set<Socket>()
  let got = 0
  const server = createSocketServer((socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)))
    if (when === 'connected') return behave(socket)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      const [head = '', body] = text.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
      if (body === undefined || Buffer.byteLength(body) < length) return
      text = ''
      got++
      behave(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    /** The messages that came whole. */
    got: () => got,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
