import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import type { EmbeddedDatabase } from '../../server/embedded/open.ts'
import { readStatus, stopServer } from '../../server/embedded/processes.ts'
import type { Machine } from '../../server/embedded/programs.ts'
import { type Programs, programsFor } from './programs.ts'

export const isRoot = process.geteuid?.() === 0

/** A folder for one test. When the test is over, what still runs in it is stopped and the folder removed. */
export async function stage(parent = tmpdir()) {
  const root = await mkdtemp(join(parent, 'plumbline-test-'))
  await chmod(root, 0o755)
  onTestFinished(async () => {
    for (const cluster of await clustersIn(root)) await stopServer(cluster)
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  })
  const programs = await programsFor(join(root, 'programs'))
  const machine: Machine = { package: programs.package, shared: join(root, 'shared') }
  return { root, machine, programs, folder: join(root, 'data') }
}

export const clustersIn = async (root: string): Promise<string[]> =>
  (await readdir(root, { recursive: true }))
    .filter((name) => /(^|\/)cluster$/.test(name))
    .map((name) => join(root, name))

type ProcessOutput = {
  how?: string
  connection?: EmbeddedDatabase['connection']
  ms?: number
  progress?: string
  problem?: string
}

type OpenerOptions = {
  /** Of another checkout, or for another user. */
  programs?: Programs
  afterwards?: 'stay' | 'go'
  uid?: number
}

const own = { node: process.execPath, opener: join(import.meta.dirname, 'opener.ts') }

/** `opener.ts` in a process of its own. */
export function opener(folder: string, shared: string, { programs, afterwards = 'stay', uid }: OpenerOptions = {}) {
  const { node, opener: program } = programs ?? own
  const child: ChildProcess = spawn(node, [program, folder, shared, afterwards], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: '/',
    ...(uid ? { uid, gid: uid } : {}),
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  const next = async (): Promise<ProcessOutput> => JSON.parse((await lines.next()).value ?? '{"problem":"it ended"}')
  return {
    next,
    opened: async (): Promise<ProcessOutput> => {
      for (;;) {
        const said = await next()
        if (!said.progress) return said
      }
    },
    close: async () => {
      child.stdin?.write('close\n')
      await exited
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    exited,
  }
}

/** One question to a running PostgreSQL. */
export async function ask<T>(connection: EmbeddedDatabase['connection'], question: string): Promise<T> {
  const client = new Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query<{ answer: T }>(`select (${question}) as answer`)
    return rows[0]!.answer
  } finally {
    await client.end()
  }
}

export const usersOf = (connection: EmbeddedDatabase['connection']): Promise<number> =>
  ask(connection, "select count(*)::int from pg_locks where locktype = 'advisory' and granted and mode = 'ShareLock'")

export const runs = async (cluster: string): Promise<boolean> => (await readStatus(cluster)).state === 'alive'

export async function pidOf(cluster: string): Promise<number> {
  return Number((await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[0])
}

export async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await new Promise((resolve) => setTimeout(resolve, 20))
}
