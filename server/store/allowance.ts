import { type ConnectionLimits, connectionLimits } from '#sql/system/health.ts'
import { type Connection, factsLimit, withClient } from './connect.ts'
import { sharedConnectionCount } from './shared-connections.ts'

/** The connection limit of the database for its user, and the setting that imposes it. */
export type Allowance = { most: number; source: string }

export const readAllowance = (connection: Connection): Promise<Allowance> =>
  withClient(connection, factsLimit, async (client) => {
    const { rows } = await client.query<ConnectionLimits>(connectionLimits.text)
    return allowanceOf(rows[0] as ConnectionLimits)
  })

const sources = {
  server: 'max_connections of the server, without reserved ones',
  database: 'the connection limit of the database',
  role: 'the connection limit of the user',
}

export function allowanceOf(limits: ConnectionLimits): Allowance {
  const names = ['server', 'database', 'role'] as const
  return names
    .filter((name) => limits[name] >= 0)
    .map((name) => ({ most: limits[name], source: sources[name] }))
    .reduce((least, one) => (one.most < least.most ? one : least))
}

/** Minimum for a process: with one connection, nothing could be read during a write. */
export const connectionsLeast = 2

/** Connections beside DATABASE_CONNECTIONS: batchable reads of each process, two for migrations and command. */
const connectionsBeside = (processes: number): number => sharedConnectionCount * processes + 2

/** The connections of all processes of a service. `isTooFew`: a process has fewer than it needs to serve. */
export type ConnectionFit = { connectionsMax: number; isTooFew: boolean; sentence: string | null }

/** Returns DATABASE_CONNECTIONS, or less if the database gives less; `sentence` then says how much and why. */
export function fitConnections(
  { connectionsMax, processes }: { connectionsMax: number; processes: number },
  { most, source }: Allowance,
): ConnectionFit {
  const least = connectionsLeast * processes
  const needed = Math.max(connectionsMax, least)
  const fitting = most - connectionsBeside(processes)
  if (fitting >= needed) return { connectionsMax: needed, isTooFew: false, sentence: null }
  const gives = `The database gives ${most} connections (${source}), and ${connectionsBeside(processes)} of them are for shared reads, migrations and commands`
  const orProcesses = processes === 1 ? '' : ' or PROCESSES'
  if (fitting < least) {
    const lower = processes === 1 ? 'raise that limit' : 'lower PROCESSES, or raise that limit'
    const sentence = `${gives}, so ${Math.max(fitting, 0)} are left where PROCESSES=${processes} needs ${least}: ${lower}.`
    return { connectionsMax: least, isTooFew: true, sentence }
  }
  const sentence = `${gives}: ${fitting} of the ${connectionsMax} of DATABASE_CONNECTIONS are used; lower DATABASE_CONNECTIONS${orProcesses}, or raise that limit.`
  return { connectionsMax: fitting, isTooFew: false, sentence }
}
