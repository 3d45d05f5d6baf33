import { connect } from 'node:net'
import { openRelay, type Line as RelayLine, type Way } from '../../proof/relay.ts'
import type { Server } from './postgres.ts'

/** What a network does to connections. Silence keeps data and closings, as TCP does, and delivers them once it is healed. */
export type NetworkFault = 'silent' | `silent to the ${Way}` | 'slow' | 'reset' | 'refused'

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

type Line = RelayLine & { isMarked: boolean; isCut: boolean; fault: NetworkFault | null; kept: (() => void)[] }

export async function openProxy({ host, port, user, database, password }: Server): Promise<Network> {
  let cutting = false
  let fault: NetworkFault | null = null
  let scope: FaultScope = 'all'

  const begin = (line: Line): void => {
    line.fault = fault
    if (fault !== 'reset' && fault !== 'refused') return
    line.near.resetAndDestroy()
    // A Unix socket knows no reset.
    line.far.destroy()
  }
  /** Looks at a chunk on its way to the database: the fault may begin with it, or the next commit. */
  const look = (line: Line, chunk: Buffer): void => {
    if (fault && typeof scope === 'object') {
      line.isMarked ||= chunk.includes(scope.mark)
      if (line.isMarked && chunk.includes(scope.sends)) {
        begin(line)
        fault = null
      }
    }
    if (!cutting || !chunk.includes('commit\0')) return
    cutting = false
    line.isCut = true
  }
  const relay = await openRelay<Line>(
    (near) => {
      const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
      const line: Line = { near, far, isMarked: false, isCut: false, fault: null, kept: [] }
      if (fault && scope === 'all') begin(line)
      return line
    },
    (line, to, act, chunk) => {
      if (chunk && to === 'database') look(line, chunk)
      // The commit is done, and its answer is lost.
      if (line.isCut && to === 'service' && chunk?.includes('COMMIT\0')) line.near.destroy()
      else if (line.fault === 'silent' || line.fault === `silent to the ${to}`) line.kept.push(act)
      else if (line.fault === 'slow') setTimeout(act, slowness)
      else act()
    },
  )
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${relay.port}/${database}`,
    cutNextCommit: () => {
      cutting = true
    },
    fail(next, where) {
      fault = next
      scope = where
      if (next === 'refused') relay.refuse()
      if (typeof where !== 'object') for (const line of relay.lines) begin(line)
    },
    async heal() {
      fault = null
      for (const line of relay.lines) {
        line.fault = null
        line.isMarked = false
        for (const act of line.kept.splice(0)) act()
      }
      await relay.accept()
    },
    close: relay.close,
  }
}
