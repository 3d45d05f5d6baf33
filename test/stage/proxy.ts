import { connect, createServer, type Socket } from 'node:net'
import type { Server } from './postgres.ts'

/** What a network does to connections. Silence keeps data and closings, as TCP does, and delivers them once it is healed. */
export type NetworkFault = 'silent' | 'silent to the server' | 'silent to the service' | 'slow' | 'reset' | 'refused'

/**
 * The connections that a fault meets: those that are open, these and all new ones, or the one that has sent `mark`, as it
 * sends `sends` (both may be in one message).
 */
export type FaultScope = 'open' | 'all' | { mark: string; sends: string }

/** A network in front of PostgreSQL that fails at will. */
export type Network = {
  /** The DATABASE_URL through it. */
  url: string
  /** Passes the next commit on, and cuts the connection before its answer comes back. */
  cutNextCommit(): void
  fail(fault: NetworkFault, scope: FaultScope): void
  heal(): Promise<void>
  close(): Promise<void>
}

/** Milliseconds by which whatever passes a slow connection is late. */
const slowness = 100

type Line = { near: Socket; far: Socket; isMarked: boolean; fault: NetworkFault | null; kept: (() => void)[] }

export async function openProxy({ host, port, user, database, password }: Server): Promise<Network> {
  let cutting = false
  let fault: NetworkFault | null = null
  let scope: FaultScope = 'all'
  const lines = new Set<Line>()

  const begin = (line: Line): void => {
    line.fault = fault
    if (fault !== 'reset' && fault !== 'refused') return
    line.near.resetAndDestroy()
    // A Unix socket knows no reset.
    line.far.destroy()
  }

  /** Does something to the other end, when and if the network lets it through. */
  const pass = (line: Line, silence: NetworkFault, act: () => void): void => {
    if (line.fault === 'silent' || line.fault === silence) line.kept.push(act)
    else if (line.fault === 'slow') setTimeout(act, slowness)
    else act()
  }

  const server = createServer((near) => {
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    const line: Line = { near, far, isMarked: false, fault: null, kept: [] }
    lines.add(line)
    for (const socket of [near, far]) {
      socket.on('error', () => {}).on('close', () => near.closed && far.closed && lines.delete(line))
    }
    let isCut = false
    near.on('data', (chunk) => {
      if (fault && typeof scope === 'object') {
        line.isMarked ||= chunk.includes(scope.mark)
        if (line.isMarked && chunk.includes(scope.sends)) {
          begin(line)
          fault = null
        }
      }
      pass(line, 'silent to the server', () => far.destroyed || far.write(chunk))
      if (!cutting || !chunk.includes('commit\0')) return
      cutting = false
      isCut = true
    })
    far.on('data', (chunk) => {
      // The commit is done, and its answer is lost.
      if (isCut && chunk.includes('COMMIT\0')) near.destroy()
      else pass(line, 'silent to the service', () => near.destroyed || near.write(chunk))
    })
    near.on('close', () => pass(line, 'silent to the server', () => far.destroySoon()))
    far.on('close', () => pass(line, 'silent to the service', () => near.destroySoon()))
    if (fault && scope === 'all') begin(line)
  })
  const listen = (on: number): Promise<void> => new Promise((resolve) => server.listen(on, '127.0.0.1', resolve))
  await listen(0)
  const address = server.address() as { port: number }
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${address.port}/${database}`,
    cutNextCommit: () => {
      cutting = true
    },
    fail(next, where) {
      fault = next
      scope = where
      // Ends listening alone.
      if (next === 'refused') server.close()
      if (typeof where !== 'object') for (const line of lines) begin(line)
    },
    async heal() {
      fault = null
      for (const line of lines) {
        line.fault = null
        line.isMarked = false
        for (const act of line.kept.splice(0)) act()
      }
      if (!server.listening) await listen(address.port)
    },
    close: async () => {
      for (const { near, far } of lines) for (const socket of [near, far]) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
