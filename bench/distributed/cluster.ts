import pg from 'pg'
import { migrate } from '#server/store/migrate.ts'
import type { Connection } from '../postgres.ts'
import { BenchProblem } from '../problem.ts'
import type { Progress } from '../progress.ts'
import { createCompanies } from '../scenario/companies.ts'
import { fill } from '../scenario/fill.ts'
import type { Layout } from '../scenario/layout.ts'
import { parentOf } from '../usage.ts'

/** Returns the servers of CITUS_URL, the coordinator first. */
export async function serversOf(url: string | undefined): Promise<Connection[]> {
  if (!url) throw new BenchProblem('Set CITUS_URL to the coordinator of a Citus cluster that is for trying things.')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ host: string; port: number }>(
    "select nodename as host, nodeport as port from pg_dist_node where groupid > 0 and noderole = 'primary' order by nodeport",
  )
  await client.end()
  const coordinator = { host: client.host, port: client.port, user: client.user ?? '', password: client.password ?? '' }
  return [coordinator, ...rows.map((row) => ({ ...coordinator, ...row }))].map((one) => ({
    ...one,
    database: 'postgres',
  }))
}

export async function ask<Row = object>(server: Connection, text: string): Promise<Row[]> {
  const client = new pg.Client(server)
  await client.connect()
  try {
    return (await client.query(text)).rows as Row[]
  } finally {
    await client.end()
  }
}

/** Creates a database of one server with companies and their records. */
export async function plainDatabase(server: Connection, name: string, layout: Layout, progress: Progress) {
  await ask(server, `drop database if exists ${name} with (force)`)
  await ask(server, `create database ${name}`)
  const connection = { ...server, database: name }
  await migrate(connection, progress.say)
  // One more than the companies that share the records: the last one is the large company.
  await createCompanies(connection, layout.companies + 1, progress)
  await fill(connection, layout, progress)
  return connection
}

/** Creates a copy that is distributed over this number of servers behind the coordinator. */
export async function distributedCopy(
  servers: readonly Connection[],
  { of, name, workers }: { of: string; name: string; workers: number },
  progress: Progress,
): Promise<Connection> {
  const [coordinator, ...others] = servers as [Connection, ...Connection[]]
  const used = [coordinator, ...others.slice(0, workers)]
  if (used.length < workers + 1) throw new BenchProblem(`The cluster of CITUS_URL has no ${workers} workers.`)
  for (const one of used) {
    await ask(one, `drop database if exists ${name} with (force)`)
    await ask(one, `create database ${name} template ${one === coordinator ? of : 'template1'}`)
    await ask({ ...one, database: name }, 'create extension citus')
  }
  const connection = { ...coordinator, database: name }
  await ask(connection, `select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`)
  for (const { host, port } of used.slice(1)) await ask(connection, `select citus_add_node('${host}', ${port})`)
  await migrate(connection, progress.say)
  for (const one of used) await ask({ ...one, database: name }, 'vacuum (analyze)')
  return connection
}

/** Finds the parent process of a server's connections, if the server runs on this machine. */
export async function postmasterOf(server: Connection): Promise<number | undefined> {
  const client = new pg.Client(server)
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return rows[0] && parentOf(rows[0].pid)
  } finally {
    await client.end()
  }
}
