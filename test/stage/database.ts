import pg from 'pg'
import { inject } from 'vitest'
import { settingsOnEveryServer } from '#server/store/citus/distribution.ts'
import { type Server, template } from './postgres.ts'

/** A migrated database of the file's own, or a copy of another one that nobody uses. */
export const freshDatabase = (of = template) => createTestDatabase(inject('server'), of)

/** An empty one, unless `of` names what it is a copy of. Where companies are distributed, one on each of the servers. */
export async function createTestDatabase(
  server: Server,
  of = 'template1',
): Promise<{ connection: Server; drop(): Promise<void> }> {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  const servers = serversOf(server)
  await Promise.all(servers.map((one) => run(one, `create database ${name} template ${of}`)))
  // They belong to a database, and are not copied with it.
  if (server.workers && of === template) await run({ ...server, database: name }, settingsOnEveryServer)
  const drop = async () => {
    // What a server that was stopped left half done would keep the database in use until it is settled, once a minute.
    if (server.workers && of === template)
      await run({ ...server, database: name }, 'select recover_prepared_transactions()')
    for (const one of servers) await dropDatabase(one, name)
  }
  return { connection: { ...server, database: name }, drop }
}

/**
 * Without `force`, which would end a vacuum of the superuser's and may not; PostgreSQL lets that end by itself, and waits
 * for those whom we end.
 */
export async function dropDatabase(server: Server, name: string): Promise<void> {
  await run(
    server,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and usename = current_user`,
  )
  await run(server, `drop database ${name}${server.workers ? ' with (force)' : ''}`)
}

export const serversOf = (server: Server): Server[] => [
  server,
  ...(server.workers ?? []).map((worker) => ({ ...server, ...worker })),
]

/** What each of the servers answers, taken together. */
export async function everywhere(server: Server, text: string): Promise<unknown[]> {
  const rows = await Promise.all(serversOf(server).map((one) => run(one, text)))
  return rows.flat()
}

export async function run(server: Server, text: string): Promise<unknown[]> {
  const { workers: _, ...config } = server
  const client = new pg.Client(config)
  await client.connect()
  try {
    const { rows } = await client.query(text)
    return rows
  } finally {
    await client.end()
  }
}
