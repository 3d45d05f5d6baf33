import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { buildConsole } from '#server/commands/build-console.ts'
import { findLocation } from '#server/embedded/location.ts'
import { thisMachine } from '#server/embedded/machine.ts'
import { openEmbedded } from '#server/embedded/open.ts'
import { findPrograms } from '#server/embedded/programs.ts'
import { asSuperuser } from '#server/embedded/single-user.ts'
import { startServer } from '#server/embedded/start.ts'
import { migrate } from '#server/store/migrate.ts'
import { citusCluster } from './citus.ts'

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
  const { server, close } = process.env.TEST_SERVER ? given(process.env.TEST_SERVER) : await bundled()
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

async function bundled() {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-test-'))
  // Started by root, PostgreSQL runs as somebody else, who has to reach it here.
  await chmod(folder, 0o711)
  // What tests need and the service does not: databases of their own, tables filled without their triggers, checkpoints.
  await (await openEmbedded({ folder })).close()
  const grants = ['alter role plumbline createdb', 'grant pg_checkpoint to plumbline']
  const fill = 'grant set on parameter session_replication_role to plumbline'
  await asSuperuser(folder, [...grants, fill].join('\n'))
  const machine = thisMachine()
  const place = await findLocation(folder, machine.shared, null)
  await startServer(await findPrograms(machine, place, () => undefined), place, undefined, ofTests)
  const embedded = await openEmbedded({ folder })
  const close = async () => {
    await embedded.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { server: embedded.connection, close }
}

/**
 * Nobody kills this server, so nothing of it has to be on the disk at once. It looks for tables to vacuum in each of a
 * hundred databases, where the service has one.
 */
const ofTests = { fsync: 'off', autovacuum_naptime: '1min' }
