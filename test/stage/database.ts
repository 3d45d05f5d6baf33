import pg from 'pg'
import { inject } from 'vitest'
import { type Server, template } from './postgres.ts'

/** A migrated database of the file's own, or a copy of another one that nobody uses. */
export const freshDatabase = (of = template) => makeDatabase(inject('server'), of)

/** An empty one, unless `of` names what it is a copy of. */
export async function makeDatabase(
  server: Server,
  of = 'template1',
): Promise<{ connection: Server; drop(): Promise<void> }> {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await run(server, `create database ${name} template ${of}`)
  return { connection: { ...server, database: name }, drop: () => dropDatabase(server, name) }
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
  await run(server, `drop database ${name}`)
}

async function run(server: Server, text: string): Promise<void> {
  const client = new pg.Client(server)
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
