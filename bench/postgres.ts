import { join } from 'node:path'
import pg from 'pg'
import { asSuperuser } from '#server/embedded/access.ts'
import { openEmbedded } from '#server/embedded/open.ts'
import { parentOf } from './usage.ts'

export type Connection = { host: string; port: number; user: string; database: string; password: string }

/** The bundled PostgreSQL that product and floor share, in a folder of the bench's own. */
export type Postgres = {
  /** Returns the connection to one of its databases. */
  connection(database: string): Connection
  /** Runs a statement in a separate database, because a database with connections cannot be copied. */
  sql<Row = object>(text: string, values?: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

export const dataFolder = join(import.meta.dirname, '../data/bench')

export async function openPostgres(folder: string, say: (sentence: string) => void): Promise<Postgres> {
  await (await openEmbedded({ folder, progress: say })).close()
  // The bench loads libraries and fills tables without triggers, which the service may never do.
  await asSuperuser(folder, 'alter role plumbline superuser')
  const first = await openClient(folder, say)
  if (await counts(first)) return first
  // Statement statistics need a library that PostgreSQL loads when it starts.
  await first.sql(`alter system set shared_preload_libraries = 'pg_stat_statements'`)
  await first.sql(`alter system set "pg_stat_statements.track" = 'none'`)
  await first.close()
  const second = await openClient(folder, say)
  await second.sql('create extension if not exists pg_stat_statements')
  return second
}

async function counts({ sql }: Postgres): Promise<boolean> {
  const [row] = await sql<{ libraries: string }>(`select current_setting('shared_preload_libraries') as libraries`)
  return row?.libraries.includes('pg_stat_statements') ?? false
}

async function openClient(folder: string, say: (sentence: string) => void): Promise<Postgres> {
  const embedded = await openEmbedded({ folder, progress: say })
  const client = await connect(embedded.connection)
  return {
    connection: (database) => ({ ...embedded.connection, database }),
    async sql<Row = object>(text: string, values: unknown[] = []) {
      const { rows } = await client.query(text, values)
      return rows as Row[]
    },
    async close() {
      await client.end()
      await embedded.close()
    },
  }
}

async function connect(connection: Connection): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, application_name: 'bench' })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Formats the address of a database behind a Unix socket for DATABASE_URL. */
export const urlOf = ({ host, port, user, database, password }: Connection): string =>
  `postgres:///${database}?host=${encodeURIComponent(host)}&port=${port}&user=${user}&password=${password}`

/** Finds the parent process of the connections. */
export async function findPostmaster({ sql }: Postgres): Promise<number | undefined> {
  const [row] = await sql<{ pid: number }>('select pg_backend_pid() as pid')
  return row && parentOf(row.pid)
}
