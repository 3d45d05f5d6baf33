import { createServer, type Socket } from 'node:net'
import pg from 'pg'
import type { Server } from './postgres.ts'

/** A pooler in front of PostgreSQL, as far as tests need one: it passes messages on and reads no statement. */
export type Pooler = {
  /** The DATABASE_URL through it. */
  url: string
  close(): Promise<void>
}

/**
 * `transaction`: a session has a connection to the server until its transaction ends; `session`: until it ends itself.
 * `refusesSettings`: a session that starts with settings is refused, as by PgBouncer; otherwise they are left out.
 */
export type PoolerMode = { mode: 'transaction' | 'session'; refusesSettings?: boolean }

export async function openPooler(server: Server, { mode, refusesSettings = false }: PoolerMode): Promise<Pooler> {
  const idle: Backend[] = []
  const all: Backend[] = []
  const sessions = new Set<Socket>()

  const take = async (): Promise<Backend> => {
    const backend = idle.pop() ?? (await openBackend(server))
    if (!all.includes(backend)) all.push(backend)
    return backend
  }

  const listener = createServer((socket) => {
    sessions.add(socket)
    let backend: Promise<Backend> | undefined
    let hasStarted = false
    const release = async (): Promise<void> => {
      const released = await backend
      backend = undefined
      if (released) idle.push(released)
    }
    socket.on('error', () => {})
    socket.on('close', () => {
      sessions.delete(socket)
      // As by the reset query of a session; what is in the middle of something is given up.
      void backend?.then((one) => one.end())
    })
    socket.on('data', (chunk: Buffer) => {
      if (!hasStarted) {
        hasStarted = true
        if (refusesSettings && chunk.includes('options\0')) socket.end(refusal())
        else socket.write(greeting())
        return
      }
      if (chunk[0] === terminate && mode === 'transaction') return
      backend ??= take()
      void backend.then((one) =>
        one.send(chunk, (answer, isIdle) => {
          socket.write(answer)
          if (isIdle && mode === 'transaction') void release()
        }),
      )
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as { port: number }
  return {
    url: `postgres://${server.user}:x@127.0.0.1:${port}/${server.database}`,
    async close() {
      for (const socket of sessions) socket.destroy()
      for (const backend of all) backend.end()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}

type Backend = {
  /** Every answer, and whether the server then is between transactions. */
  send(bytes: Buffer, answered: (bytes: Buffer, isIdle: boolean) => void): void
  end(): void
}

const terminate = 'X'.charCodeAt(0)

/** A connection that the driver has signed in, and whose bytes are then ours. */
async function openBackend(server: Server): Promise<Backend> {
  const client = new pg.Client(server)
  await client.connect()
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.removeAllListeners('data')
  stream.removeAllListeners('close')
  stream.removeAllListeners('end')
  stream.on('error', () => {})
  let listener: (bytes: Buffer, isIdle: boolean) => void = () => {}
  stream.on('data', (bytes: Buffer) => listener(bytes, endsIdle(bytes)))
  return {
    send(bytes, answered) {
      listener = answered
      stream.write(bytes)
    },
    end: () => void stream.destroy(),
  }
}

/** ReadyForQuery with the status of no transaction, at the end of an answer. */
const endsIdle = (bytes: Buffer): boolean => bytes.subarray(-6).equals(Buffer.from('Z\0\0\0\x05I', 'latin1'))

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** AuthenticationOk, a parameter that drivers look at, BackendKeyData and ReadyForQuery. */
const greeting = (): Buffer =>
  Buffer.concat([
    message('R', Buffer.alloc(4)),
    message('S', Buffer.from('server_version\x0018.0\0')),
    message('K', Buffer.alloc(8)),
    message('Z', Buffer.from('I')),
  ])

const refusal = (): Buffer =>
  message('E', Buffer.from('SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: options\0\0'))
