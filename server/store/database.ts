import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { BatchableRead } from '#sql/batchable.ts'
import type { Statement } from '#sql/statement.ts'
import { type BackendRow, begin, ping, rollbackAndChain } from '#sql/system/connection.ts'
import { fixedShare, type Share } from '../fair/shares.ts'
import { batchTimeoutMs, transactionTimeoutMs } from './bounds.ts'
import { transactionSettings } from './citus/distribution.ts'
import { inSteps } from './citus/transaction.ts'
import { type Connection, type Connector, connectClient, createConnector, type StreamConnection } from './connect.ts'
import { openConnectionSlots } from './connection-slots.ts'
import { type Deadline, openDeadline } from './deadline.ts'
import { type BackendEnd, openBackendEnder } from './end-backend.ts'
import { asFault, conflictCode, Fault, isConnectionLost } from './faults.ts'
import { openHeavyReads } from './heavy-reads.ts'
import { keepLog } from './log-identity.ts'
import { sessionOptions } from './session.ts'
import { openSharedConnections } from './shared-connections.ts'
import { createStatementPipeline, type StatementPipeline } from './statement-pipeline.ts'

/** The only access to PostgreSQL. `share` is the part of the connections to use; by default the service's own. */
export type Database = {
  /** Runs one statement by itself. A batchable one may be run together with others; the result is its own row. */
  read<Row>(statement: Statement | BatchableRead, share?: Share): Promise<Row[]>
  /**
   * Runs one READ COMMITTED transaction. It is retried as a whole after a conflict, until the time of one statement has
   * passed. A persistent one is also retried after a lock time-out or a lost connection before the commit, for twice
   * the longest wait for an answer. One with `isOnce` is never retried.
   */
  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    share?: Share,
    options?: { isPersistent?: boolean; isOnce?: boolean },
  ): Promise<T>
  /** Calls the listener after each conflict of a transaction, with its code. */
  onConflict(listener: (code: string) => void): void
  /** Calls the listener after each transaction that this process committed. */
  onCommit(listener: () => void): void
  /** Rejects if the database does not answer. */
  answers(): Promise<unknown>
  close(): Promise<void>
  /** Returns the numbers of open connections, of idle ones among them, and of requests that wait for one. */
  load(): { total: number; idle: number; waiting: number }
}

export type Transaction = Pick<StatementPipeline, 'run' | 'send'> & {
  /** Rolls back all changes and frees all locks so far. Later statements belong to a new transaction. */
  undo(): void
  /** Whether a conflict of this attempt is not retried. */
  isLast: boolean
  /** Replaces the error that the transaction fails with by the result of `turned`. */
  onFailure(turned: (error: unknown) => unknown): void
}

export type { Connection, StreamConnection } from './connect.ts'

export type Limits = { connectionsMax: number; statementTimeout: number; lockTimeout: number; connectTimeout: number }

/** Longest pause before the first retry, in milliseconds; twice as long each time. A pause is a random part of it. */
const firstPauseMax = 50
const pauseMax = 1600
/** The share of statements that the service runs for itself. */
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
    // Retries until the server has ended the session itself, in case it is out of reach.
    forMs: transactionTimeoutMs(limits),
    onEnd: onBackendEnd,
  })
  const deadline = openDeadline(batchTimeoutMs(limits), ender.end)
  /** Checks a new connection, and lets the deadline watch it. */
  const watch = async (one: pg.ClientBase): Promise<BackendRow> => {
    const backend = await connector.prepare(one)
    deadline.watch(one, backend)
    return backend
  }
  const openShared = async (): Promise<pg.Client> => {
    const one = await connector.patiently(() => connectClient({ ...client, pipeline: true } as pg.ClientConfig))
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
          // The session may hold the lock of the log, for which all writes wait.
          if (isConnectionLost(error)) ender.end(backend)
          throw error
        }
      },
    })
    // Without a listener a lost connection would end the process. The pool's listener gets errors of idle connections;
    // a connection in use fails its statement.
    pool.on('error', onError)
    pool.on('connect', (one) => one.on('error', () => {}))
    return pool
  }
  /** Whether companies are distributed; undefined before the first connection. */
  let isDistributed: boolean | undefined
  /** Opens connections with a fair queue of their own. */
  const openConnections = () => {
    const { withSlot, waiting } = openConnectionSlots(limits)
    const source = { ...connector, pool: openPool() }
    const use = <T>(work: (client: pg.ClientBase) => Promise<T>) => withConnection(source, deadline, work)
    return {
      ...{ pool: source.pool, waiting, use },
      inTurn: <T>(share: Share, work: (client: pg.ClientBase) => Promise<T>) => withSlot(share, () => use(work)),
    }
  }
  const { pool, waiting, use, inTurn } = openConnections()
  const heavyReads = openHeavyReads(limits.statementTimeout)
  // Connections for batchable reads of a distributed database, since only one server could answer them together. No
  // transaction can hold these either.
  const alone = openConnections()
  const before = transactionSettings(limits)

  const read = <Row>(asked: Statement | BatchableRead, share = ourselves): Promise<Row[]> => {
    if (!asked.batchable) {
      const ask = () => inTurn(share, (client) => inOneOrSteps<Row>(client, asked))
      return asked.heavyOf === undefined ? ask() : heavyReads.run(asked, ask)
    }
    if (isDistributed === undefined) return known().then(() => read<Row>(asked, share))
    if (!isDistributed) return shared.read<Row>(asked, share.key)
    return alone.inTurn(share, (client) => inOneOrSteps<Row>(client, asked.alone()))
  }
  let knowing: Promise<void> | undefined
  const known = (): Promise<void> => {
    knowing ??= use(async () => undefined).finally(() => {
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
  /** Milliseconds for which a persistent transaction is retried. */
  const persistence = 2 * (limits.connectTimeout + batchTimeoutMs(limits))

  return {
    read,
    async transaction(work, share = ourselves, { isPersistent = false, isOnce = false } = {}) {
      const begunAt = performance.now()
      for (let pause = firstPauseMax; ; pause = Math.min(2 * pause, pauseMax)) {
        const passed = performance.now() - begunAt
        const isLast = passed >= limits.statementTimeout
        try {
          const result = await inTurn(share, (client) =>
            inTransaction(client, work, { isLast, before: isDistributed ? before : null }),
          )
          for (const listener of listeners) listener()
          return result
        } catch (error) {
          if (isOnce) throw error
          const code = conflictCode(error)
          if (code !== undefined) for (const listener of conflictListeners) listener(code)
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
      waiting: waiting() + alone.waiting() + shared.waiting() + heavyReads.waiting(),
    }),
  }
}

const isUnavailable = (error: unknown): boolean => error instanceof Fault && error.code === 'unavailable'

type Source = Pick<Connector, 'patiently'> & { pool: pg.Pool }

/** Runs `work` with a connection. A lost one is not used again. */
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

/** Runs a transaction from begin to commit. `before` has its first statements if companies are distributed. */
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

/** Returns a connection that is not suspect: all connections that fall silent together cost one missed deadline. */
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
