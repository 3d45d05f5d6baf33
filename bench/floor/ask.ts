import pg from 'pg'
import { readConfig } from '#server/config.ts'
import { inOneWrite } from '#server/store/one-write.ts'
import { statements } from './statements.ts'

/** Runs a statement; its one row, unread: text as PostgreSQL sent it. */
export type Ask = (work: StatementName, values: unknown[]) => Promise<Row>

type StatementName = keyof typeof statements
type Row = readonly (string | null)[]

/** As many connections as the product has, with the same settings, read from the same environment. */
export async function makeAsk(environment: NodeJS.ProcessEnv): Promise<Ask> {
  const { databaseUrl, connectionsMax, statementTimeout, lockTimeout } = readConfig(environment)
  const options = {
    ...{ timezone: 'UTC', datestyle: 'ISO', client_connection_check_interval: 500 },
    ...{ statement_timeout: statementTimeout, lock_timeout: lockTimeout, idle_in_transaction_session_timeout: 60_000 },
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
    const { rows } = await ((work === 'fetch' || process.env.FLOOR_ALL) && lanes ? lanes(query) : pool.query(query))
    return rows[0] ?? []
  }
}

const asItIs = (text: string): string => text

/**
 * A statement of some ten microseconds is over before another connection has woken up: a few connections that always
 * have the next one waiting are a sixth faster than a pool. Longer statements and commits are not: they want the pool.
 */
const lanesCount = 4

async function openLanes(config: pg.ClientConfig, count: number) {
  if (count === 0) return undefined
  const lanes = Array.from({ length: count }, () => ({ client: new pg.Client(config), waiting: 0 }))
  for (const { client } of lanes) await client.connect()
  return async (query: pg.QueryArrayConfig) => {
    const lane = lanes.reduce((least, other) => (other.waiting < least.waiting ? other : least))
    lane.waiting++
    if (process.env.FLOOR_CORK) inOneWrite(lane.client, setImmediate)
    try {
      return await lane.client.query(query)
    } finally {
      lane.waiting--
    }
  }
}
