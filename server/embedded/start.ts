import { spawn } from 'node:child_process'
import { statfs } from 'node:fs/promises'
import type { Location } from './location.ts'
import { memoryHere } from './memory.ts'
import { inShort, refusedBy, saidBy } from './problem.ts'
import { shell, spawnOptions } from './run.ts'
import { type Settings, settings } from './settings.ts'
import { socketFolder } from './socket.ts'

/** A PostgreSQL being started. */
export type Attempt = {
  pid: number | undefined
  /** undefined while it runs */
  end: () => 'failed' | 'stopped' | undefined
  /** the length of start.log before it */
  logged: number
}

/**
 * In a session of its own, holding nothing of ours: Ctrl-C in the terminal does not reach it, and it survives our being
 * killed. `reused`: the process id of a killed server which another program has now; PostgreSQL is told to pay no
 * attention to it (as pg_ctl tells it of its own) and still looks itself whether the cluster's memory is in use.
 */
export async function startServer(
  bin: string,
  location: Location,
  reused: number | undefined,
  more: Settings = {},
): Promise<Attempt> {
  const { home, cluster, identity } = location
  const { blocks, bsize } = await statfs(home)
  const size = { memory: memoryHere(), disk: blocks * bsize }
  const told = settings(cluster, await socketFolder(location), size, more)
  const logged = Number((await shell(identity, trim, home)).output) || 0
  const { env, ...where } = spawnOptions(identity)
  const child = spawn('/bin/sh', ['-c', becomeServer, 'sh', home, `${bin}/postgres`, ...told], {
    ...where,
    env: reused ? { ...env, PG_GRANDPARENT_PID: String(reused) } : env,
    detached: true,
    stdio: 'ignore',
  })
  child.unref()
  let end: 'failed' | 'stopped' | undefined
  child.once('error', () => (end = 'failed'))
  child.once('exit', (code) => (end = code ? 'failed' : 'stopped'))
  return { pid: child.pid, end: () => end, logged }
}

/** Returns why an attempt may be repeated: another one runs, or has just been stopped. Anything else is a problem. */
export async function whyEnded(attempt: Attempt, location: Location): Promise<string> {
  if (attempt.end() === 'stopped') return 'it was stopped while it started'
  const words = await lastWords(location, attempt)
  if (isTaken(words)) return inShort(words)
  if (!words && (await statfs(location.home)).bavail === 0) throw refusedBy({ code: 'ENOSPC' }, location.home)
  throw saidBy(words, 'start', location.cluster)
}

/** PostgreSQL found another one at work in its folder. */
const isTaken = (words: string): boolean =>
  words.includes('pre-existing shared memory block') ||
  (words.includes('lock file "') && (words.includes('" already exists') || words.includes('" is empty')))

/** Others may have written into start.log at the same time: lines with another process id are not ours. */
export async function lastWords({ home, cluster, identity }: Location, { pid, logged }: Attempt): Promise<string> {
  const early = await shell(identity, 'tail -c +$(($2 + 1)) "$1/start.log"', home, String(logged))
  const ours = early.output.split('\n').filter((line) => Number(/ \[(\d{1,10})\] /.exec(line)?.[1] ?? pid) === pid)
  if (!ours.some((line) => line.includes('redirecting log output'))) return ours.join('\n').trim()
  const late = await shell(identity, 'cd "$1/log" && tail -n 100 "$(ls -t | head -n 1)"', cluster)
  return late.output.slice(Math.max(0, late.output.lastIndexOf('starting PostgreSQL')))
}

/** Until its own log is open, PostgreSQL speaks on stderr. The shell becomes PostgreSQL: the process id stays. */
const becomeServer = 'umask 077; exec >>"$1/start.log" 2>&1 || exit 1; shift; exec "$@"'

/** Empties a long start.log; prints its length. */
const trim =
  'umask 077; cd "$1" && : >>start.log && { test "$(wc -c <start.log)" -lt 1000000 || : >start.log; } && wc -c <start.log'
