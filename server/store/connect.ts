import { readFile } from 'node:fs/promises'
import { isIP, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import type { Run, Statement } from '#sql/statement.ts'
import { type BackendRow, begin, rollback, selectBackend } from '#sql/system/connection.ts'
import { atMost, type Limit, type Time, type WaitEnd, waitWithin } from '../wait/wait.ts'
import { Fault } from './faults.ts'
import { clientKeepAlives } from './session.ts'
import { backendKey, markOfSession, refusesSettings, SharedSession, watchSessions } from './session-check.ts'

/** The address of the database. It is sent to other processes, so it has no functions. */
export type Connection = { connectionString: string; passwordFile?: string | null } | Place

type Place = { host: string; port: number; user: string; database: string; password?: string; ssl?: false }

/** A connection over streams that the caller opens. */
export type StreamConnection = Place & { stream: () => Duplex }

/** The settings and checks that connections of one sort share. */
export type Connector = {
  config: pg.ClientConfig
  /** Checks a new connection before its first use. Throws if a pooler shares it among sessions. */
  prepare(client: pg.ClientBase): Promise<BackendRow>
  /** Opens a connection. Waits up to `waitMs` while the database has none left. */
  patiently<T>(open: () => Promise<T>): Promise<T>
}

export type ConnectorOptions = {
  /** Settings of the session in the form of PostgreSQL's start-up message: `-c name=value`. */
  options: string
  waitMs: number
  /** Longest time that the server keeps a transaction; null is no limit. */
  transactionTimeoutMs: number | null
}

export function createConnector(
  connection: Connection | StreamConnection,
  { options, waitMs, transactionTimeoutMs }: ConnectorOptions,
): Connector {
  const address = addressOf(connection)
  const config: pg.ClientConfig = {
    ...clientKeepAlives,
    application_name: 'plumbline',
    ...address,
    // The last value of a setting counts, so the address cannot change those that the service relies on.
    options: [address.options, options, `-c ${markOfSession}`].filter(Boolean).join(' '),
  }
  const settings = { options: config.options ?? '', waitMs, transactionTimeoutMs }
  const sessions = watchSessions(settings, () => probeSessions(() => openClient(connector)))
  const hasPasswordFile = typeof config.password === 'function'
  const connector: Connector = {
    config,
    prepare: sessions.add,
    patiently: (open) => openPatiently(open, waitMs, hasPasswordFile),
  }
  return connector
}

/** Returns the parts that name database and user: the driver would let the whole address override settings. */
function addressOf(connection: Connection | StreamConnection): pg.ClientConfig {
  if (!('connectionString' in connection)) return pick(connection)
  const { connectionString, passwordFile } = connection
  const address = pick(parseIntoClientConfig(connectionString))
  return passwordFile ? { ...address, password: passwordOf(passwordFile) } : address
}

const parts = ['host', 'port', 'user', 'password', 'database', 'ssl', 'sslnegotiation'] as const
const more = ['options', 'application_name', 'client_encoding', 'enableChannelBinding', 'stream'] as const

const pick = (config: object): pg.ClientConfig =>
  Object.fromEntries([...parts, ...more].flatMap((name) => (name in config ? [[name, config[name as never]]] : [])))

/** Returns a function that reads the password for each connection: a rotated one is used without a restart. */
const passwordOf = (file: string) =>
  async function password(this: unknown): Promise<string> {
    try {
      return await readPassword(file)
    } catch (error) {
      // The driver calls this as a method of the client, and leaves the connection open if it fails.
      ;(this as { connection?: { stream?: Socket } }).connection?.stream?.destroy()
      throw new Fault('unavailable', error)
    }
  }

async function readPassword(file: string): Promise<string> {
  const [password = ''] = (await readFile(file, 'utf8')).split(/\r?\n/, 1)
  if (password === '') throw Object.assign(new Error(`${file} is empty`), { code: 'empty', path: file })
  return password
}

const pauseMs = 50

/** Retries while no connection is left, and once after a refused password: the file may just have changed. */
async function openPatiently<T>(open: () => Promise<T>, waitMs: number, hasPasswordFile: boolean): Promise<T> {
  const until = performance.now() + waitMs
  for (let canReread = hasPasswordFile; ; ) {
    try {
      return await open()
    } catch (error) {
      const code = codeOf(error)
      const isFull = code === '53300' && performance.now() + pauseMs < until
      if (isFull) await setTimeout(pauseMs)
      else if (code === '28P01' && canReread) canReread = false
      else throw refusesSettings(error) ? new SharedSession(error) : error
    }
  }
}

export const codeOf = (error: unknown): unknown =>
  ((error instanceof Fault ? error.cause : error) as { code?: unknown } | undefined)?.code

/** Settings for work of minutes: no time limits, no parallel workers or compilation, which cost more than they save. */
const commandSettings =
  '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c jit=off -c max_parallel_workers_per_gather=0'
const connectTimeoutMs = 5000
const commandOptions = { options: commandSettings, waitMs: connectTimeoutMs, transactionTimeoutMs: null }

/** Throws if the database is reached through a pooler that shares connections. The bundled database never is. */
export async function refuseSharedSessions(connection: Connection): Promise<void> {
  if (!('connectionString' in connection)) return
  const connector = createConnector(connection, { ...commandOptions, options: '' })
  await waitWithin(
    factsLimit,
    probeSessions(() => openClient(connector)),
  )
}

/** The limit of a few short statements on a connection of their own. */
export const factsLimit: Limit = { ms: 15_000, of: 'an answer of the database' }

/** Opens a connection that must be ended. It is not prepared yet. */
const openClient = ({ config, patiently }: Connector): Promise<pg.Client> =>
  patiently(() => connectClient({ ...config, connectionTimeoutMillis: connectTimeoutMs }))

export async function connectClient(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config)
  // Without a listener a lost connection would end the process; the next statement fails instead.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Runs `work` with a connection of its own, without the time limits of requests. Closes it when the bound is over. */
export async function withClient<T>(
  connection: Connection,
  bound: WaitEnd,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const connector = createConnector(connection, commandOptions)
  const client = await openClient(connector)
  try {
    await connector.prepare(client)
    return await waitWithin(bound, work(client))
  } finally {
    await endClient(client)
  }
}

const endMs = 1000

/** Ends a connection. The driver waits until the other side has closed it, which a silent one does not. */
async function endClient(client: pg.Client): Promise<void> {
  await atMost(endMs, client.end()).catch(() => undefined)
  streamOf(client).destroy()
}

export const streamOf = (client: pg.Client): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream

/**
 * Runs reads with a connection of its own. Rejects when the time is over, and then keeps no process alive. `resolve`
 * is asked for a host name first: a process cannot end while the system's look-up waits for a name server.
 */
export async function readUntil<T>(
  connection: Connection,
  { time, resolve }: { time: Time; resolve(host: string): Promise<unknown> },
  work: (run: Run) => Promise<T>,
): Promise<T> {
  const socket = new Socket()
  const client = new pg.Client({ ...createConnector(connection, commandOptions).config, stream: () => socket })
  client.on('error', () => {})
  const { host } = client
  const isName = !host.startsWith('/') && host !== 'localhost' && isIP(host) === 0
  try {
    if (isName) await waitWithin(time, resolve(host))
    await waitWithin(time, client.connect())
    return await waitWithin(
      time,
      work(async <Row>(statement: Statement) => (await client.query<Row & object>(statement)).rows),
    )
  } finally {
    socket.destroy()
  }
}

/** Throws if the database is reached through a pooler that does not keep a connection for a session. */
async function probeSessions(open: () => Promise<pg.Client>): Promise<void> {
  const one = await open()
  try {
    const other = await open()
    try {
      if (await shareBackend(one, other)) throw new SharedSession()
    } finally {
      await endClient(other)
    }
  } finally {
    await endClient(one)
  }
}

/**
 * Returns whether two idle connections share one backend, or one connection uses two. A pooler may hand out backends in
 * turn. So the first connection is checked twice, and again while the other holds a backend.
 */
async function shareBackend(one: pg.Client, other: pg.Client): Promise<boolean> {
  const first = await backendOf(one)
  if ((await backendOf(one)) !== first) return true
  await other.query(begin.text)
  try {
    return (await backendOf(other)) === first || (await backendOf(one)) !== first
  } finally {
    await other.query(rollback.text)
  }
}

async function backendOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<BackendRow>(selectBackend())
  return backendKey(rows[0] as BackendRow)
}
