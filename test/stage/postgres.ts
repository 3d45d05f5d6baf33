import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { buildConsole } from '#server/commands/build-console.ts'
import { migrate } from '#server/store/migrate.ts'
import { citusCluster } from './citus.ts'
import { openOwnServer } from './own-server.ts'

/**
 * One PostgreSQL for the whole run, with a migrated database that each test file copies: the bundled one, or the one of
 * TEST_SERVER (`{"host", "port", "user"}`, as a superuser), to try another version, or the cluster of CITUS_URL.
 */

export type Server = {
  host: string
  port: number
  user: string
  database: string
  password: string
  /** Where companies are distributed: the servers behind this one. */
  workers?: readonly { host: string; port: number }[]
}

declare module 'vitest' {
  export interface ProvidedContext {
    server: Server
  }
}

export const template = 'plumbline_template'

export default async function setup(project: TestProject) {
  // Once, before many processes that serve it start at the same time.
  await buildConsole(() => {})
  if (process.env.CITUS_URL) {
    const { server, close } = await citusCluster(process.env.CITUS_URL, template)
    project.provide('server', server)
    return close
  }
  const { server, close } = process.env.TEST_SERVER
    ? given(process.env.TEST_SERVER)
    : await openOwnServer(ofTests, grants)
  const client = new pg.Client(server)
  await client.connect()
  await client.query(`drop database if exists ${template} with (force)`)
  await client.query(`create database ${template}`)
  await client.end()
  await migrate({ ...server, database: template }, () => {})
  project.provide('server', server)
  return close
}

const given = (text: string) => ({
  server: { database: 'postgres', ...JSON.parse(text) } as Server,
  close: async () => {},
})

/** What tests need and the service does not: databases of their own, tables filled without their triggers, checkpoints. */
const grants = [
  'alter role plumbline createdb',
  'grant pg_checkpoint to plumbline',
  'grant set on parameter session_replication_role to plumbline',
]

/**
 * Nobody kills this server, so nothing of it has to be on the disk at once. It looks for tables to vacuum in each of a
 * hundred databases, where the service has one.
 */
const ofTests = { fsync: 'off', autovacuum_naptime: '1min' }
