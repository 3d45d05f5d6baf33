import pg from 'pg'
import { inject } from 'vitest'
import { type Server, template } from './postgres.ts'

/** A migrated database of the file's own. */
export async function freshDatabase(): Promise<{ connection: Server; drop(): Promise<void> }> {
  const server = inject('server')
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await run(server, `create database ${name} template ${template}`)
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
