import pg from 'pg'
import { inject } from 'vitest'
import { type Server, template } from './postgres.ts'

/** A migrated database of the file's own, or a copy of another one that nobody uses. */
export async function freshDatabase(of = template): Promise<{ connection: Server; drop(): Promise<void> }> {
  const server = inject('server')
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await run(server, `create database ${name} template ${of}`)
  return { connection: { ...server, database: name }, drop: () => run(server, `drop database ${name} with (force)`) }
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
