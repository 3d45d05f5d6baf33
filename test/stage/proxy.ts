import { connect, createServer, type Socket } from 'node:net'
import type { Server } from './postgres.ts'

/** A line to PostgreSQL that can be cut at will. */
export type Proxy = {
  /** The DATABASE_URL through it. */
  url: string
  /** Passes the next commit on, and cuts the line before its answer comes back. */
  cutNextCommit(): void
  close(): Promise<void>
}

export async function openProxy({ host, port, user, database, password }: Server): Promise<Proxy> {
  let cutting = false
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    let isCut = false
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => open.delete(socket))
    }
    near.on('data', (chunk) => {
      far.write(chunk)
      if (!cutting || !chunk.includes('commit\0')) return
      cutting = false
      isCut = true
    })
    far.on('data', (chunk) => {
      // The commit is done, and nobody hears of it.
      if (isCut && chunk.includes('COMMIT\0')) near.destroy()
      else near.write(chunk)
    })
    near.on('close', () => far.end())
    far.on('close', () => near.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.address() as { port: number }
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${address.port}/${database}`,
    cutNextCommit: () => {
      cutting = true
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
