import { spawn } from 'node:child_process'
import { access, readFile, rename, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, writeAccessRules } from './access.ts'
import { createUnfinishedPath, flush, hashPath, isPrivate, remove } from './folders.ts'
import type { Location } from './location.ts'
import {
  checkProgram,
  createFileProblem,
  createProgramProblem,
  EmbeddedProblem,
  formatProgramOutput,
  ifExists,
  isClusterInUse,
  isNameTaken,
} from './problems.ts'
import { run, shell, spawnOptions } from './processes.ts'
import { createServerArguments, port, readMemoryBytes, type Settings } from './settings.ts'

/**
 * Creates the cluster in a temporary folder and renames it when it is whole, so a kill leaves nothing to repair. If two
 * processes do so at once, the first to rename wins. Returns false if another process was first.
 */
export async function createCluster(bin: string, location: Location, password: string): Promise<boolean> {
  const { home, cluster, identity } = location
  const fresh = createUnfinishedPath(home)
  try {
    checkProgram(await run(identity, `${bin}/initdb`, ['-D', fresh, ...initdbOptions]), 'make its cluster', home)
    checkProgram(await createDatabase(bin, { ...location, cluster: fresh }, password), 'make its database', home)
    checkProgram(await writeAccessRules(location, fresh, password), 'write its rules of access', home)
    await rename(fresh, cluster)
    await flush(home)
    return true
  } catch (error) {
    if (isNameTaken(error)) return requireCluster(cluster)
    throw error instanceof EmbeddedProblem ? error : createFileProblem(error, home)
  } finally {
    await remove(fresh, identity)
  }
}

async function requireCluster(cluster: string): Promise<false> {
  await access(join(cluster, 'PG_VERSION')).catch((cause) => {
    throw new EmbeddedProblem(
      `${cluster} is there and holds no PostgreSQL cluster: restore it from a backup, or move it away to start empty.`,
      { cause },
    )
  })
  return false
}

/** The builtin locale provider: its lower() handles all letters, and a new C library never changes an index. */
const initdbOptions = [
  '--username=postgres',
  '--auth=trust',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  '--no-instructions',
]

/** Returns whether there is a cluster. Throws if it is of another major version of PostgreSQL. */
export async function clusterExists({ cluster }: Location, major: string): Promise<boolean> {
  const made = (await ifExists(readFile(join(cluster, 'PG_VERSION'), 'utf8'), cluster))?.trim()
  if (made === undefined || made === major) return made === major
  throw new EmbeddedProblem(
    `The database in ${cluster} was made by PostgreSQL ${made} and the bundled one is ${major}: start it with the version of Plumbline that made it and move each company with "plumbline export" and "plumbline import-company", or set PLUMBLINE_DATA to another folder.`,
  )
}

/** A PostgreSQL that is being started. */
export type ServerStart = Awaited<ReturnType<typeof startServer>>

/**
 * Starts PostgreSQL in a session of its own: Ctrl-C in the terminal does not reach it, and it survives this process.
 * `reused` is the process id of a killed server that another program has now. PostgreSQL then ignores this id, as with
 * pg_ctl, and still checks whether the cluster's shared memory is in use.
 */
export async function startServer(bin: string, location: Location, reused?: number, more: Settings = {}) {
  const { home, cluster, identity } = location
  const { blocks, bsize } = await statfs(home)
  const size = { memory: readMemoryBytes(), disk: blocks * bsize }
  const args = createServerArguments(cluster, await ensureSocketFolder(location), size, more)
  const logBytes = Number((await shell(identity, trimScript, home)).output) || 0
  const { env, ...options } = spawnOptions(identity)
  const child = spawn('/bin/sh', ['-c', serverScript, 'sh', home, `${bin}/postgres`, ...args], {
    ...options,
    env: reused ? { ...env, PG_GRANDPARENT_PID: String(reused) } : env,
    detached: true,
    stdio: 'ignore',
  })
  child.unref()
  let end: 'failed' | 'stopped' | undefined
  child.once('error', () => (end = 'failed'))
  child.once('exit', (code) => (end = code ? 'failed' : 'stopped'))
  return {
    pid: child.pid,
    /** Returns undefined while it runs. */
    end: () => end,
    /** the bytes of start.log before it */
    logBytes,
  }
}

/** Returns the reason if the start may be repeated: another PostgreSQL runs, or was just stopped. Throws otherwise. */
export async function explainEnd(start: ServerStart, location: Location): Promise<string> {
  if (start.end() === 'stopped') return 'it was stopped while it started'
  const log = await readStartLog(location, start)
  if (isClusterInUse(log)) return formatProgramOutput(log)
  if (!log && (await statfs(location.home)).bavail === 0) throw createFileProblem({ code: 'ENOSPC' }, location.home)
  throw createProgramProblem(log, 'start', location.cluster)
}

/** Reads the log of one start. Lines with another process id in start.log are of starts at the same time. */
export async function readStartLog({ home, cluster, identity }: Location, { pid, logBytes }: ServerStart) {
  const early = await shell(identity, 'tail -c +$(($2 + 1)) "$1/start.log"', home, String(logBytes))
  const ours = early.output.split('\n').filter((line) => Number(/ \[(\d{1,10})\] /.exec(line)?.[1] ?? pid) === pid)
  if (!ours.some((line) => line.includes('redirecting log output'))) return ours.join('\n').trim()
  const late = await shell(identity, 'cd "$1/log" && tail -n 100 "$(ls -t | head -n 1)"', cluster)
  return late.output.slice(Math.max(0, late.output.lastIndexOf('starting PostgreSQL')))
}

/** Redirects stderr, to which PostgreSQL writes until its own log is open. `exec` keeps the process id. */
const serverScript = 'umask 077; exec >>"$1/start.log" 2>&1 || exit 1; shift; exec "$@"'

/** Empties a long start.log; prints its length. */
const trimScript =
  'umask 077; cd "$1" && : >>start.log && { test "$(wc -c <start.log)" -lt 1000000 || : >start.log; } && wc -c <start.log'

/** Creates the folder of the Unix socket, which is the only way in. Other users cannot open this folder. */
async function ensureSocketFolder({ home, cluster, identity }: Location): Promise<string> {
  const short = `plumbline-${hashPath(cluster)}`
  const candidates = [join(home, 'socket'), join(tmpdir(), short), join('/tmp', short)].filter(isShortEnough)
  for (const folder of candidates) {
    await shell(identity, 'test -e "$1" || mkdir -m 700 "$1"', folder)
    if (await isPrivate(folder, identity)) return folder
  }
  throw new EmbeddedProblem(
    `${candidates.at(-1)} is not a folder only the user "${identity.name}" can open, so PostgreSQL's socket is not safe there: remove it, or set PLUMBLINE_DATA to a shorter path.`,
  )
}

/** Returns whether a socket fits into the folder: its whole path has at most 103 bytes on macOS, 107 on Linux. */
const isShortEnough = (folder: string): boolean => Buffer.byteLength(join(folder, `.s.PGSQL.${port}`)) <= 103
