import type { Socket } from 'node:net'
import pg from 'pg'
import { readConfig } from '#server/config/config.ts'
import { statements } from './statements.ts'

/** Runs a statement. Returns its one row as the text that PostgreSQL sent. */
export type StatementRunner = (work: StatementName, values: unknown[]) => Promise<TextRow>

type StatementName = keyof typeof statements
type TextRow = readonly (string | null)[]

/** Opens as many connections as the product has, with the same settings from the same environment. */
export async function createStatementRunner(environment: NodeJS.ProcessEnv): Promise<StatementRunner> {
  const { databaseUrl, connectionsMax, statementTimeout, lockTimeout } = readConfig(environment)
  const options = {
    ...{ timezone: 'UTC', datestyle: 'ISO', client_connection_check_interval: 500 },
    ...{ statement_timeout: statementTimeout, lock_timeout: lockTimeout, idle_in_transaction_session_timeout: 30_000 },
  }
  const config = {
    connectionString: databaseUrl ?? undefined,
    pipeline: true,
    types: { getTypeParser: () => asItIs },
    options: Object.entries(options)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    application_name: 'floor',
  } as pg.ClientConfig
  const pool = new pg.Pool({ ...config, max: connectionsMax })
  const lanes = await openLanes(config, Number(environment.FLOOR_LANES ?? lanesCount))
  return async (work, values) => {
    const query = { name: work, text: statements[work], values, rowMode: 'array' as const }
    const { rows } = await (lanes && !writes.includes(work) ? lanes(query) : pool.query(query))
    return rows[0] ?? []
  }
}

const writes: StatementName[] = ['create', 'update', 'batch']

const asItIs = (text: string): string => text

/**
 * Number of connections for reads. A read takes about as long as waking another process. So a few connections with
 * queued statements, sent in one write, fetch a third faster than a pool, and list as fast or faster. Commits wait for
 * the disk, and need many connections that wait together.
 */
const lanesCount = 4

type Lane = { client: pg.Client; stream: Socket; waiting: number }

async function openLanes(config: pg.ClientConfig, count: number) {
  if (count === 0) return undefined
  const lanes = await Promise.all(Array.from({ length: count }, () => openLane(config)))
  return async (query: pg.QueryArrayConfig) => {
    const lane = lanes.reduce((least, other) => (other.waiting < least.waiting ? other : least))
    lane.waiting++
    if (lane.stream.writableCorked === 0) {
      lane.stream.cork()
      setImmediate(() => lane.stream.uncork())
    }
    try {
      return await lane.client.query(query)
    } finally {
      lane.waiting--
    }
  }
}

async function openLane(config: pg.ClientConfig): Promise<Lane> {
  const client = new pg.Client(config)
  await client.connect()
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  return { client, stream, waiting: 0 }
}
