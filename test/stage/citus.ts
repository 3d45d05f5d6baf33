import pg from 'pg'
import { migrate } from '#server/store/migrate.ts'
import { run, serversOf } from './database.ts'
import type { Server } from './postgres.ts'

/** Few, so that a database of a test file is copied quickly. */
const shards = 4

/**
 * The cluster of CITUS_URL, which names its coordinator. The template is a database on each of the servers; a copy of all
 * of them is a distributed database again, because what one knows of the others is their addresses.
 */
export async function citusCluster(url: string, template: string): Promise<{ server: Server; close(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows: workers } = await client.query<{ host: string; port: number }>(
    "select nodename as host, nodeport as port from pg_dist_node where groupid > 0 and noderole = 'primary' order by nodeport",
  )
  await client.end()
  if (workers.length === 0) throw new Error('the cluster of CITUS_URL has no workers')
  const { host, port, user = '', password } = client
  const server: Server = { host, port, user, password: password ?? '', database: 'postgres', workers }
  const names = { ...server, database: template }
  for (const one of serversOf(server)) {
    await run(one, `drop database if exists ${template} with (force)`)
    await run(one, `create database ${template}`)
  }
  for (const one of serversOf(names)) await run(one, 'create extension citus')
  await run(names, `select citus_set_coordinator_host('${host}', ${port})`)
  for (const worker of workers) await run(names, `select citus_add_node('${worker.host}', ${worker.port})`)
  await run(server, `alter database ${template} set citus.shard_count = ${shards}`)
  const { workers: _, ...connection } = names
  await migrate(connection, () => {})
  // Each server's own housekeeping would keep it from being copied.
  for (const one of serversOf(server)) {
    await run(one, `alter database ${template} allow_connections false`)
    await run(one, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${template}'`)
  }
  return { server, close: async () => {} }
}
