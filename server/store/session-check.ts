import type pg from 'pg'
import type { Statement } from '#sql/statement.ts'
import { type BackendFacts, type BackendRow, selectBackend, setInSession } from '#sql/system/connection.ts'
import type { ConnectorOptions } from './connect.ts'

/** A setting without meaning to PostgreSQL. A pooler that drops the settings of a session drops it too. */
export const markOfSession = 'plumbline.session=on'

/** Thrown when connections are shared among sessions, or cannot have settings at all. */
export class SharedSession extends Error {
  override name = 'SharedSession'
  /** The code of a lost connection: calls get 503 until the pooler is gone. */
  readonly code = '08P01'
  constructor(cause?: unknown) {
    super(
      'The database is reached through a pooler (PgBouncer in transaction mode?), which takes away the settings of a session: give DATABASE_URL the address of PostgreSQL itself, or set pool_mode=session and ignore_startup_parameters=options.',
      { cause },
    )
  }
}

/** Returns whether a pooler refused settings of a session, by a protocol_violation. */
export const refusesSettings = (error: unknown): boolean => {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return code === '08P01' && String(message).includes('startup parameter')
}

/** Watches the open connections of a process. Two with one backend are behind a pooler in transaction mode. */
export function watchSessions({ options, waitMs, transactionTimeoutMs }: ConnectorOptions, probe: () => Promise<void>) {
  const open = new Map<string, pg.ClientBase>()
  let probing: Promise<void> | undefined

  return {
    /** Checks a new connection. One without its settings is behind a pooler; in session mode they can be set again. */
    async add(client: pg.ClientBase): Promise<BackendRow> {
      const ask = (statement: Statement) => askWithin(client, statement, waitMs)
      const { rows } = await ask(selectBackend(transactionTimeoutMs))
      const { pid, backend_start, is_marked } = rows[0] as BackendFacts
      const key = backendKey({ pid, backend_start })
      if (open.has(key)) throw new SharedSession()
      if (!is_marked) {
        probing ??= probe()
        await probing.catch((error: unknown) => {
          probing = undefined
          throw error
        })
        for (const [name, value] of settingsIn(options)) await ask(setInSession(name, value))
      }
      open.set(key, client)
      client.once('end', () => open.delete(key))
      return { pid, backend_start }
    },
  }
}

export const backendKey = ({ pid, backend_start }: BackendRow): string => `${pid} ${backend_start}`

const settingsIn = (options: string): [name: string, value: string][] =>
  options
    .split(' ')
    .filter((word) => word.includes('='))
    .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)])

/** Runs a statement unprepared. Rejects if the answer does not come in time. */
export const askWithin = <Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  { text, values }: Statement,
  timeoutMs: number,
) => client.query<Row>({ text, values, query_timeout: timeoutMs } as pg.QueryConfig)
