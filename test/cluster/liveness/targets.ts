import { execFileSync } from 'node:child_process'
import { openEmbedded } from '#server/embedded/open.ts'
import { jsonOf } from '../../command/stage.ts'
import type { Process } from '../../stage/process.ts'
import { type Network, openProxy } from '../../stage/proxy.ts'
import { eventually } from '../../stage/wait.ts'
import { metricOf, type Own, openOwn, postmasterOf } from '../own-database.ts'

/** A service of its own with one company, on a PostgreSQL that nobody else uses: its feed waits for no other test. */
export type Target = {
  service: Process
  /** The token of now. */
  token(): string
  /** Replaces the token by a way that the fault does not cut. */
  rotate(): Promise<string>
  close(): Promise<void>
}

/** The bound of L5 where PostgreSQL has to be started again. */
export const recoveryMs = 15_000

/** `T` and `C` of docs/reliability/liveness.md, small enough for a test. */
export const limits = { statementTimeout: 500, connectTimeout: 800 }
const settings = {
  STATEMENT_TIMEOUT_MS: String(limits.statementTimeout),
  CONNECT_TIMEOUT_MS: String(limits.connectTimeout),
}

const tokenOf = ({ token, give }: Own): Pick<Target, 'token' | 'rotate'> => {
  let current = token
  return {
    token: () => current,
    rotate: async () => {
      current = jsonOf(await give('token', 'rotate', '--company', '1', '--json')).token as string
      return current
    },
  }
}

/** The service on a PostgreSQL behind a network that fails at will. */
export type NetworkTarget = Target & { network: Network }

export async function openNetworkTarget(): Promise<NetworkTarget> {
  const own = await openOwn()
  const database = await openEmbedded({ folder: own.data })
  const network = await openProxy(database.connection)
  const service = await own.start({ ...settings, DATABASE_URL: network.url })
  return {
    service,
    network,
    ...tokenOf(own),
    close: async () => {
      await service.stop()
      await network.close()
      await database.close()
      await own.stage.clear()
    },
  }
}

/** The service on the bundled PostgreSQL in a folder of its own. */
export type BundledTarget = Target & {
  /** Waits until PostgreSQL runs. */
  postmaster(): Promise<number>
  /** The process ids of the children of the postmaster whose title contains the text. */
  serversOf(title: string): Promise<number[]>
  /** How often the service has started PostgreSQL again. */
  starts(): Promise<number>
}

export async function openBundledTarget(processes: string): Promise<BundledTarget> {
  const own = await openOwn()
  const service = await own.start({ ...settings, PROCESSES: processes })
  // What is left of a killed server may answer until the next one is there.
  const postmaster = () =>
    eventually(async () => {
      const pid = await postmasterOf(own.cluster)
      process.kill(pid, 0)
      return pid
    }, recoveryMs)
  return {
    service,
    ...tokenOf(own),
    postmaster,
    serversOf: (title) =>
      eventually(async () => {
        const pids = childrenOf(await postmaster(), title)
        if (pids.length === 0) throw new Error(`PostgreSQL has no process ${title}`)
        return pids
      }),
    starts: async () => (await metricOf(service.url, 'plumbline_database_starts_total')) ?? 0,
    close: async () => {
      await service.stop()
      await own.stage.clear()
    },
  }
}

function childrenOf(parent: number, title: string): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [pid, of, ...words] = line.trim().split(/\s+/)
    return Number(of) === parent && words.join(' ').includes(title) ? [Number(pid)] : []
  })
}
