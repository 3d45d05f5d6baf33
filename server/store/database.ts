import pg from 'pg'
import type { BriefStatement } from '#derive/queries/brief.ts'
import type { Statement } from '#derive/queries/statement.ts'
import { asFault, Fault, isConflict, isConnectionLost } from './faults.ts'
import { openLanes } from './lanes.ts'
import { inOneWrite } from './one-write.ts'

/** The only door to PostgreSQL. */
export type Database = {
  /** One statement by itself; a brief one may answer others too, and brings this one's row. */
  read<Row>(statement: Statement | BriefStatement): Promise<Row[]>
  /** One READ COMMITTED transaction. Run again, whole and silently, when it met another one (up to three times). */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  close(): Promise<void>
  /** Connections in use, idle, and requests that wait for one. */
  load(): { total: number; idle: number; waiting: number }
}

export type Transaction = {
  /** Statements are sent in order without waiting for each other; each promise brings its own rows. */
  run<Row>(statement: Statement): Promise<Row[]>
  /** A statement whose rows nobody needs: it travels with the commit, and its failure fails the transaction. */
  send(statement: Statement): void
  /** Work that leaves nothing behind when it fails, or when `keep` says so of its result. */
  undoable<T>(work: () => Promise<T>, keep: (result: T) => boolean): Promise<T>
}

export type Connection =
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string; ssl?: false }

export type Limits = { connectionsMax: number; statementTimeout: number; lockTimeout: number; connectTimeout: number }

const retriesMax = 3
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
    pipeline: true,
    types,
    application_name: 'plumbline',
    options: sessionOptions(limits),
  }
  const lanes = openLanes(
    { ...client, query_timeout: limits.statementTimeout + answerTimeout },
    limits.connectTimeout,
    onError,
  )
  const pool = new pg.Pool({ ...client, max: limits.connectionsMax } as pg.PoolConfig)
  // Without a listener a connection lost while idle would end the process.
  pool.on('error', onError)

  return {
    read: (asked) => (asked.brief ? lanes.read(asked) : readAlone(pool, asked)),
    async transaction(work) {
      for (let retries = 0; ; retries++) {
        try {
          return await once(pool, work)
        } catch (error) {
          if (!isConflict(error) || retries === retriesMax)
            throw isConflict(error) ? new Fault('unavailable', error) : error
        }
      }
    },
    close: async () => {
      await Promise.all([pool.end(), lanes.close()])
    },
    load: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount + lanes.waiting() }),
  }
}

/**
 * Set for the session, so that it holds on any server: a client that is gone frees its locks within half a second
 * even while a statement of it waits, and nothing waits for ever. A statement is planned once a connection, so its plan
 * must hold for every company and at every size: by an index, however small the tables are while it is made.
 */
export const sessionOptions = ({ statementTimeout, lockTimeout }: Limits): string =>
  [
    'timezone=UTC',
    'datestyle=ISO',
    'client_connection_check_interval=500',
    `statement_timeout=${statementTimeout}`,
    `lock_timeout=${lockTimeout}`,
    'idle_in_transaction_session_timeout=60000',
    'plan_cache_mode=force_generic_plan',
    'enable_seqscan=off',
    'jit=off',
  ]
    .map((option) => `-c ${option}`)
    .join(' ')

async function readAlone<Row>(pool: pg.Pool, { name, text, values }: Statement): Promise<Row[]> {
  try {
    const { rows } = await pool.query(name === undefined ? { text, values } : { name, text, values })
    return rows as Row[]
  } catch (error) {
    throw asFault(error)
  }
}

async function once<T>(pool: pg.Pool, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  const client = await connect(pool)
  let lost: Error | undefined
  // The pool listens to idle connections only; an error of this one that nobody heard would end the process.
  const noteLoss = (error: Error): void => {
    lost = error
  }
  client.on('error', noteLoss)
  const run = async <Row>({ name, text, values }: Statement): Promise<Row[]> => {
    try {
      inOneWrite(client, process.nextTick)
      const { rows } = await client.query(name === undefined ? { text, values } : { name, text, values })
      return rows as Row[]
    } catch (error) {
      if (isConnectionLost(error)) lost = error as Error
      throw asFault(error)
    }
  }
  const plain = (text: string) => run({ text, values: [] })
  const sent: Promise<unknown>[] = []
  const send = (statement: Statement): void => {
    const answer = run(statement)
    answer.catch(() => {})
    sent.push(answer)
  }
  const undoable = async <R>(inner: () => Promise<R>, keep: (result: R) => boolean): Promise<R> => {
    const begun = plain('savepoint work')
    const [, result] = await settled([begun, inner()]).catch(async (error: unknown) => {
      if (!lost) await plain('rollback to savepoint work')
      throw error
    })
    if (!keep(result as R)) await plain('rollback to savepoint work')
    return result as R
  }

  try {
    const begun = plain('begin isolation level read committed')
    const [, result] = await settled([begun, work({ run, send, undoable })])
    await commit(plain('commit'), sent)
    return result as T
  } catch (error) {
    if (!lost && !(error instanceof Fault && error.code === 'outcome_unknown')) await plain('rollback').catch(() => {})
    throw error
  } finally {
    client.removeListener('error', noteLoss)
    client.release(lost)
  }
}

/**
 * PostgreSQL answers a commit after a failed statement by rolling back, so what was sent along is looked at too. Once
 * the commit is on its way, a lost connection says nothing about whether it arrived.
 */
async function commit(committed: Promise<unknown>, sent: readonly Promise<unknown>[]): Promise<void> {
  const [last, ...along] = await Promise.allSettled([committed, ...sent])
  const failed = along.find((result) => result.status === 'rejected')
  if (last.status === 'rejected') {
    throw last.reason instanceof Fault ? new Fault('outcome_unknown', last.reason.cause) : last.reason
  }
  if (failed) throw failed.reason
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw asFault(error)
  }
}

/** All of them, each waited for; the first failure that came is thrown when none is under way any more. */
async function settled<A, B>(promises: [Promise<A>, Promise<B>]): Promise<[A, B]> {
  const results = await Promise.allSettled(promises)
  const failures = results.filter((result) => result.status === 'rejected')
  if (failures.length > 0) throw failures[failures.length - 1]?.reason
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as [A, B]
}
