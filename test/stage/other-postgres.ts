import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '#server/store/migrate.ts'
import type { Server } from './postgres.ts'
import { eventually } from './wait.ts'

/** The folder of the programs of the oldest PostgreSQL that is supported, where this machine has them. */
export const oldestPrograms: string | undefined = [process.env.OLDEST_PG_BIN, '/usr/lib/postgresql/15/bin'].find(
  (folder) => folder !== undefined && existsSync(join(folder, 'initdb')),
)

/** Starts a PostgreSQL of another version in a folder of its own, with a migrated database. */
export async function openOtherServer(programs: string): Promise<{ server: Server; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-other-'))
  const identity = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  if (identity.uid !== undefined) await chown(folder, identity.uid, identity.gid)
  const cluster = join(folder, 'cluster')
  const options = { ...identity, cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } }
  const initdb = ['-D', cluster, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  execFileSync(join(programs, 'initdb'), initdb, { ...options, stdio: 'pipe' })
  const settings = ['-c', 'listen_addresses=', '-c', 'fsync=off', '-c', 'max_connections=50']
  const child = spawn(join(programs, 'postgres'), ['-D', cluster, '-k', folder, ...settings], {
    ...options,
    stdio: 'ignore',
  })
  const server = { host: folder, port: 5432, user: 'postgres', database: 'postgres', password: '' }
  const close = async (): Promise<void> => {
    await end(child)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    await eventually(() => answers(server))
    await migrate(server, () => {})
  } catch (error) {
    await close()
    throw error
  }
  return { server, close }
}

async function answers(server: Server): Promise<void> {
  const client = new pg.Client(server)
  await client.connect()
  await client.end()
}

/** Started by root, PostgreSQL has to run as somebody else. */
const idOf = (which: string): number => Number(execFileSync('id', [which, 'nobody'], { encoding: 'utf8' }))

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGQUIT')
  await gone
}
