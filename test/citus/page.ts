import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { run as ask } from '../stage/database.ts'
import type { Server } from '../stage/postgres.ts'
import { processOf } from './servers.ts'

const page = join(import.meta.dirname, '../../docs/backup.md')

/** The commands of docs/backup.md for a cluster, by the heading above them, as they are printed. */
export async function commandsOfPage(): Promise<Map<string, string[]>> {
  const text = await readFile(page, 'utf8')
  const [, section = ''] = text.split('\n## A Citus cluster\n')
  const commands = new Map<string, string[]>()
  for (const part of section.split('\n## ')[0]?.split('\n### ').slice(1) ?? []) {
    const heading = part.slice(0, part.indexOf('\n'))
    commands.set(
      heading,
      [...part.matchAll(/```sh[^\n]*\n([\s\S]*?)```/g)].map(([, block = '']) => block),
    )
  }
  return commands
}

/** A node of the cluster with all that the page wants to be set there. */
export type Node = {
  server: Server
  name: string
  user: { uid: number; gid: number }
  environment: { [name: string]: string }
}

/** `folder` belongs to the user of PostgreSQL afterwards. */
export async function nodeOf(server: Server, name: string, folder: string, point: string): Promise<Node> {
  const { program, uid, gid } = await processOf(server)
  return {
    server,
    name,
    user: { uid, gid },
    environment: {
      PATH: `${dirname(program)}:${process.env.PATH}`,
      PGHOST: server.host,
      PGPORT: String(server.port),
      PGUSER: server.user,
      PGPASSWORD: server.password,
      PGDATABASE: server.database,
      ARCHIVE: join(folder, 'archive', name),
      COPY: join(folder, 'backups', name, 'base'),
      POINT: point,
      PGDATA: join(folder, `restored-${name}`),
    },
  }
}

/** Gives a block of commands to a shell on a node; rejects with what it printed when one of them fails. */
export async function paste({ user, environment, name }: Node, block: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('sh', ['-euc', block], { ...user, env: environment, cwd: '/' })
    return stdout
  } catch (error) {
    throw new Error(`on ${name}: ${block}\n${(error as { stderr?: string }).stderr}`, { cause: error })
  }
}

/** The first column of the first row. */
export async function readValue<T>(server: Server, text: string): Promise<T> {
  const [row] = (await ask(server, text)) as { [name: string]: T }[]
  return Object.values(row ?? {})[0] as T
}
