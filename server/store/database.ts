import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { BatchableRead } from '#sql/batchable.ts'
import type { Statement } from '#sql/statement.ts'
import { type BackendRow, begin, ping, rollbackAndChain } from '#sql/system/connection.ts'
import { fixedShare, type Share } from '../fair/shares.ts'
import { batchTimeoutMs, transactionTimeoutMs } from './bounds.ts'
import { transactionSettings } from './citus/distribution.ts'
import { inSteps } from './citus/transaction.ts'
import { type Connection, type Connector, createConnector, type StreamConnection } from './connect.ts'
import { openConnectionSlots } from './connection-slots.ts'
import { type Deadline, openDeadline } from './deadline.ts'
import { type BackendEnd, openBackendEnder } from './end-backend.ts'
import { asFault, conflictCode, Fault, isConnectionLost } from './faults.ts'
import { openHeavyReads } from './heavy-reads.ts'
import { keepLog } from './log-identity.ts'
import { sessionOptions } from './session.ts'
import { openSharedConnections } from './shared-connections.ts'
import { createStatementPipeline, type StatementPipeline } from './statement-pipeline.ts'

/** The only access to PostgreSQL. `share` is whose part of the connections is taken; without one, the service's own. */
export type Database = {
  /** One statement by itself; a batchable one may answer others too, and brings this one's row. */
  read<Row>(statement: Statement | BatchableRead, share?: Share): Promise<Row[]>
  /**
   * One READ COMMITTED transaction. It is run again, whole, if it met another one, until the time of one statement has
   * passed; a `persistent` one also if it waited in vain or lost its connection before the commit, for twice the longest
   * wait for an answer. One that is done `isOnce` is never run again.
   */
  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    share?: Share,
    options?: { isPersistent?: boolean; isOnce?: boolean },
  ): Promise<T>
  /** Calls the listener for each transaction that met another one, with the code of the conflict. */
  onConflict(listener: (code: string) => void): void
  /** Calls the listener after each transaction of this process that was committed. */
  onCommit(listener: () => void): void
  /** Fails while it does not. */
  answers(): Promise<unknown>
  close(): Promise<void>
  /** Connections in use, idle, and requests that wait for one. */
  load(): { total: number; idle: number; waiting: number }
}

export type Transaction = Pick<StatementPipeline, 'run' | 'send'> & {
  /** Nothing done so far stays, and nothing is held any more; what follows is a transaction of its own. */
  undo(): void
  /** Whether it is not run again where it meets another one. */
  isLast: boolean
  /** What it fails with is what `turned` makes of the error. */
  onFailure(turned: (error: unknown) => unknown): void
}

export type { Connection, StreamConnection } from './connect.ts'

export type Limits = { connectionsMax: number; statementTimeout: number; lockTimeout: number; connectTimeout: number }

/** Milliseconds that the pause before the first retry may last, a tenth of that at least; each next one is twice as long. */
const firstPauseMax = 50
const pauseMax = 1600
/** The share of what the service asks by itself. */
const ourselves = fixedShare('service')

// Ids and amounts stay below 2^53, so numbers carry them exactly; the driver would give strings.
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

export function openDatabase(
  connection: Connection | StreamConnection,
  limits: Limits,
  onError: (error: Error) => void,
  onBackendEnd: (end: BackendEnd) => void = () => {},
): Database {
  const connector = createConnector(connection, {
    options: sessionOptions(limits),
    waitMs: limits.connectTimeout,
    transactionTimeoutMs: transactionTimeoutMs(limits),
  })
  const client = {
    ...connector.config,
    connectionTimeoutMillis: limits.connectTimeout,
    types,
  }
  const ender = openBackendEnder(client, {
    connectTimeoutMs: limits.connectTimeout,
    // Until the server has ended them itself, should it be out of reach.
    forMs: transactionTimeoutMs(limits),
    onEnd: onBackendEnd,
  })
  const deadline = openDeadline(batchTimeoutMs(limits), ender.end)
  /** Notes which session of the server a new connection has. */
  const watch = async (one: pg.ClientBase): Promise<BackendRow> => {
    const backend = await connector.prepare(one)
    deadline.watch(one, backend)
    return backend
  }
  const openShared = async (): Promise<pg.Client> => {
    const one = await connector.patiently(async () => {
      const opened = new pg.Client({ ...client, pipeline: true } as pg.ClientConfig)
      opened.on('error', () => {})
      await opened.connect()
      return opened
    })
    try {
      await watch(one)
    } catch (error) {
      void one.end().catch(() => undefined)
      throw error
    }
    return one
  }
  const shared = openSharedConnections({
    open: openShared,
    deadline,
    waitingTimeMax: limits.connectTimeout,
    onError,
  })
  const openPool = (): pg.Pool => {
    const pool = new pg.Pool({
      ...client,
      max: limits.connectionsMax,
      onConnect: async (one) => {
        const backend = await watch(one)
        try {
          isDistributed = await keepLog(one, limits.connectTimeout)
        } catch (error) {
          // It may hold the log, for which all writes wait.
          if (isConnectionLost(error)) ender.end(backend)
          throw error
        }
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
  const source = { ...connector, pool }
  const connectionSlots = openConnectionSlots(limits)
  const heavyReads = openHeavyReads(limits.statementTimeout)
  // For those that would share connections, which only one server can answer together. Nobody can hold these either.
  const alone = { ...connector, pool: openPool(), slots: openConnectionSlots(limits) }
  const before = transactionSettings(limits)

  const read = <Row>(asked: Statement | BatchableRead, share = ourselves): Promise<Row[]> => {
    if (!asked.batchable) {
      const ask = () =>
        connectionSlots.withSlot(share, () =>
          withConnection(source, deadline, (client) => inOneOrSteps<Row>(client, asked)),
        )
      return asked.heavyOf === undefined ? ask() : heavyReads.run(asked, ask)
    }
    if (isDistributed === undefined) return known().then(() => read<Row>(asked, share))
    if (!isDistributed) return shared.read<Row>(asked, share.key)
    return alone.slots.withSlot(share, () =>
      withConnection(alone, deadline, (client) => inOneOrSteps<Row>(client, asked.alone())),
    )
  }
  let knowing: Promise<void> | undefined
  const known = (): Promise<void> => {
    knowing ??= withConnection(source, deadline, async () => undefined).finally(() => {
      knowing = undefined
    })
    return knowing
  }

  const inOneOrSteps = <Row>(client: pg.ClientBase, statement: Statement): Promise<Row[]> =>
    isDistributed && statement.distributed
      ? inTransaction(client, ({ run }) => run<Row>(statement), { isLast: true, before })
      : createStatementPipeline(client).run<Row>(statement)

  const listeners: (() => void)[] = []
  const conflictListeners: ((code: string) => void)[] = []
  /** Milliseconds for which a persistent transaction is begun again. */
  const persistence = 2 * (limits.connectTimeout + batchTimeoutMs(limits))

  return {
    read,
    async transaction(work, share = ourselves, { isPersistent = false, isOnce = false } = {}) {
      const begunAt = performance.now()
      for (let pause = firstPauseMax; ; pause = Math.min(2 * pause, pauseMax)) {
        const passed = performance.now() - begunAt
        const isLast = passed >= limits.statementTimeout
        try {
          const result = await connectionSlots.withSlot(share, () =>
            withConnection(source, deadline, (client) =>
              inTransaction(client, work, { isLast, before: isDistributed ? before : null }),
            ),
          )
          for (const tell of listeners) tell()
          return result
        } catch (error) {
          if (isOnce) throw error
          const code = conflictCode(error)
          if (code !== undefined) for (const tell of conflictListeners) tell(code)
          const isWorthIt = code !== undefined ? !isLast : isPersistent && isUnavailable(error) && passed < persistence
          if (!isWorthIt) throw code === undefined ? error : new Fault('unavailable', error)
          await sleep(pause * (0.1 + 0.9 * Math.random()))
        }
      }
    },
    onConflict: (listener) => void conflictListeners.push(listener),
    onCommit: (listener) => void listeners.push(listener),
    answers: () => read(ping),
    close: async () => {
      await Promise.all([pool.end(), alone.pool.end(), shared.close(), ender.close()])
      await deadline.close(limits.connectTimeout)
    },
    load: () => ({
      total: pool.totalCount + alone.pool.totalCount,
      idle: pool.idleCount + alone.pool.idleCount,
      waiting: connectionSlots.waiting() + alone.slots.waiting() + shared.waiting() + heavyReads.waiting(),
    }),
  }
}

const isUnavailable = (error: unknown): boolean => error instanceof Fault && error.code === 'unavailable'

type Source = Pick<Connector, 'patiently'> & { pool: pg.Pool }

/** A connection for as long as the work takes; one that was lost is not used again. */
async function withConnection<T>(
  source: Source,
  deadline: Deadline,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = await connect(source, deadline)
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
  const plain = createStatementPipeline(client)
  const { run, send, end, rollBack } = before ? inSteps(plain) : plain
  for (const statement of [begin, ...(before ?? [])]) send(statement)
  const turns: ((error: unknown) => unknown)[] = []
  const onFailure: Transaction['onFailure'] = (turned) => void turns.push(turned)
  try {
    const result = await work({ run, send, undo: () => send(rollbackAndChain), isLast, onFailure })
    await end()
    return result
  } catch (error) {
    if (!isConnectionLost(error)) await rollBack()
    throw turns.reduce((turned, turn) => turn(turned), error)
  }
}

/** Returns a connection that is not suspect: all that are silent together cost one missed deadline. */
async function connect({ pool, patiently }: Source, deadline: Deadline): Promise<pg.PoolClient> {
  try {
    for (;;) {
      const client = await patiently(() => pool.connect())
      if (!deadline.isSuspect(client)) return client
      deadline.drop(client)
      client.release(true)
    }
  } catch (error) {
    throw asFault(error)
  }
}
