import pg from 'pg'
import type { BatchableRead } from '#sql/batchable.ts'
import type { Statement } from '#sql/statement.ts'
import { begin, ping, rollback, rollbackAndChain } from '#sql/system/connection.ts'
import { fixedShare, type Share } from '../fair/shares.ts'
import { transactionSettings } from './citus/distribution.ts'
import { inSteps } from './citus/transaction.ts'
import { openConnectionSlots } from './connection-slots.ts'
import { type Conversation, conversation } from './conversation.ts'
import { asFault, Fault, isConflict, isConnectionLost } from './faults.ts'
import { keepLog } from './log-identity.ts'
import { sessionOptions } from './session.ts'
import { openSharedConnections } from './shared-connections.ts'

/** The only access to PostgreSQL. `share` is whose part of the connections is taken; without one, the service's own. */
export type Database = {
  /** One statement by itself; a batchable one may answer others too, and brings this one's row. */
  read<Row>(statement: Statement | BatchableRead, share?: Share): Promise<Row[]>
  /** One READ COMMITTED transaction. Run again, whole and silently, when it met another one (up to three times). */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, share?: Share): Promise<T>
  /** Calls the listener after each transaction of this process that was committed. */
  onCommit(listener: () => void): void
  /** Fails while it does not. */
  answers(): Promise<unknown>
  close(): Promise<void>
  /** Connections in use, idle, and requests that wait for one. */
  load(): { total: number; idle: number; waiting: number }
}

export type Transaction = Pick<Conversation, 'run' | 'send'> & {
  /** Nothing done so far stays, and nothing is held any more; what follows is a transaction of its own. */
  undo(): void
  /** Whether it is not run again where it meets another one. */
  isLast: boolean
}

export type Connection =
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string; password?: string; ssl?: false }

export type Limits = { connectionsMax: number; statementTimeout: number; lockTimeout: number; connectTimeout: number }

const retriesMax = 3
/** The share of what the service asks by itself. */
const ourselves = fixedShare('service')
/** Milliseconds after which a database that has stopped answering is given up; it ends statements before that itself. */
const answerTimeout = 2000

// Ids and amounts stay below 2^53, so numbers carry them exactly; the driver would give strings.
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

export function openDatabase(connection: Connection, limits: Limits, onError: (error: Error) => void): Database {
  const client = {
    ...connection,
    connectionTimeoutMillis: limits.connectTimeout,
    types,
    application_name: 'plumbline',
    options: sessionOptions(limits),
  }
  const shared = openSharedConnections(
    { ...client, pipeline: true },
    { waitingTimeMax: limits.connectTimeout, answerTimeMax: limits.statementTimeout + answerTimeout },
    onError,
  )
  const openPool = (): pg.Pool => {
    const pool = new pg.Pool({
      ...client,
      max: limits.connectionsMax,
      onConnect: async (one) => {
        isDistributed = await keepLog(one, limits.connectTimeout)
      },
    })
    // Without a listener a lost connection would end the process: the pool's hears of those that are idle; of the others
    // whoever uses them hears by the failure of what he asked.
    pool.on('error', onError)
    pool.on('connect', (one) => one.on('error', () => {}))
    return pool
  }
  /** Whether companies are distributed; not known before the first connection. */
  let isDistributed: boolean | undefined
  const pool = openPool()
  const connectionSlots = openConnectionSlots(limits)
  // For those that would share connections, which only one server can answer together. Nobody can hold these either.
  const alone = { pool: openPool(), slots: openConnectionSlots(limits) }
  const before = transactionSettings(limits)

  const read = <Row>(asked: Statement | BatchableRead, share = ourselves): Promise<Row[]> => {
    if (!asked.batchable)
      return connectionSlots.withSlot(share, () => connected(pool, (client) => inOneOrSteps<Row>(client, asked)))
    if (isDistributed === undefined) return known().then(() => read<Row>(asked, share))
    if (!isDistributed) return shared.read<Row>(asked, share.key)
    return alone.slots.withSlot(share, () =>
      connected(alone.pool, (client) => inOneOrSteps<Row>(client, asked.alone())),
    )
  }
  let knowing: Promise<void> | undefined
  const known = (): Promise<void> => {
    knowing ??= connected(pool, async () => undefined).finally(() => {
      knowing = undefined
    })
    return knowing
  }

  const inOneOrSteps = <Row>(client: pg.ClientBase, statement: Statement): Promise<Row[]> =>
    isDistributed && statement.distributed
      ? inTransaction(client, ({ run }) => run<Row>(statement), { isLast: true, before })
      : conversation(client).run<Row>(statement)

  const listeners: (() => void)[] = []

  return {
    read,
    async transaction(work, share = ourselves) {
      for (let retries = 0; ; retries++) {
        try {
          const result = await connectionSlots.withSlot(share, () =>
            connected(pool, (client) =>
              inTransaction(client, work, { isLast: retries === retriesMax, before: isDistributed ? before : null }),
            ),
          )
          for (const tell of listeners) tell()
          return result
        } catch (error) {
          if (!isConflict(error) || retries === retriesMax)
            throw isConflict(error) ? new Fault('unavailable', error) : error
        }
      }
    },
    onCommit: (listener) => void listeners.push(listener),
    answers: () => read(ping),
    close: async () => {
      await Promise.all([pool.end(), alone.pool.end(), shared.close()])
    },
    load: () => ({
      total: pool.totalCount + alone.pool.totalCount,
      idle: pool.idleCount + alone.pool.idleCount,
      waiting: connectionSlots.waiting() + alone.slots.waiting() + shared.waiting(),
    }),
  }
}

/** A connection for as long as the work takes; one that was lost is not used again. */
async function connected<T>(pool: pg.Pool, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = await connect(pool)
  let lost: Error | undefined
  try {
    return await work(client)
  } catch (error) {
    if (isConnectionLost(error)) lost = error as Error
    throw error
  } finally {
    client.release(lost)
  }
}

/** One transaction, from its begin to its commit; `before` is what it begins with where companies are distributed. */
async function inTransaction<T>(
  client: pg.ClientBase,
  work: (transaction: Transaction) => Promise<T>,
  { isLast, before }: { isLast: boolean; before: readonly Statement[] | null },
): Promise<T> {
  const plain = conversation(client)
  const { run, send, end } = before ? inSteps(plain) : plain
  for (const statement of [begin, ...(before ?? [])]) send(statement)
  try {
    const result = await work({ run, send, undo: () => send(rollbackAndChain), isLast })
    await end()
    return result
  } catch (error) {
    if (!isConnectionLost(error)) await run(rollback).catch(() => {})
    throw error
  }
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw asFault(error)
  }
}
