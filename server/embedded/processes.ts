import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Limit, type TimeOver, waitFor } from '../wait/wait.ts'
import { EmbeddedProblem } from './problems.ts'

/** The user as whom PostgreSQL runs. `other`: this process is root and switches to that user. */
export type Identity = { uid: number; gid: number; name: string; other: boolean }

export const readOwnIdentity = (): Identity =>
  createIdentity({ uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }, false)

export const isRoot = (): boolean => process.geteuid?.() === 0

/** Returns whether other programs run as this user too. */
export const isShared = ({ name }: Identity): boolean => name === 'nobody'

/** Returns the user whom root runs PostgreSQL as: the one of the settings, or `nobody`, which exists almost everywhere. */
export function findUnprivileged(userName: string | null): Identity {
  const user = readUsers().find(({ name }) => name === (userName ?? 'nobody'))
  if (user && user.uid !== 0) return { ...user, other: true }
  if (userName === null) return createIdentity({ uid: 65_534, gid: 65_534 })
  throw new EmbeddedProblem(
    user
      ? `PostgreSQL does not run as root: set PLUMBLINE_DATABASE_USER to another user.`
      : `There is no user "${userName}": make it ("useradd --system ${userName}"), or leave PLUMBLINE_DATABASE_USER out.`,
  )
}

/** Returns the identity of a user, such as the owner of a folder. */
export const createIdentity = ({ uid, gid }: { uid: number; gid: number }, other = true): Identity => ({
  uid,
  gid,
  name: readUsers().find((user) => user.uid === uid)?.name ?? String(uid),
  other,
})

function readUsers(): { name: string; uid: number; gid: number }[] {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').matchAll(/^([^#:\n]+):[^:\n]*:(-?\d+):(-?\d+):/gm)
    return [...lines].map(([, name = '', uid, gid]) => ({ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }))
  } catch {
    return []
  }
}

/** Longer than PostgreSQL takes to replay its log after a power cut, by the bundled programs. */
const programMs = 600_000

/** Runs a program as `identity` to its end. Kills one that does not end in its time. Never rejects. */
export function run(identity: Identity, file: string, args: readonly string[], input = '') {
  const limit: Limit = { ms: programMs, of: file }
  return waitFor<{ ok: boolean; output: string }>(limit, (resolve) => {
    let output = ''
    const fail = (error: unknown) => resolve({ ok: false, output: String(error) })
    try {
      const child = spawn(file, args, { ...spawnOptions(identity), stdio: 'pipe' })
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
      child.stdin.on('error', () => undefined)
      child.on('error', fail)
      child.on('close', (code) => resolve({ ok: code === 0, output }))
      child.stdin.end(input)
      return () => void child.kill('SIGKILL')
    } catch (error) {
      // spawn throws where a system call is not allowed, such as becoming another user.
      return fail(error)
    }
  }).catch((error: TimeOver) => ({ ok: false, output: String(error) }))
}

/** Runs a shell script with arguments $1, $2, … as the owner of a folder: root would follow a planted link. */
export const shell = (identity: Identity, script: string, ...args: string[]) =>
  run(identity, '/bin/sh', ['-c', script, 'sh', ...args])

/**
 * Returns options for spawn. The environment is not passed on: PGPORT and the like would change PostgreSQL's defaults,
 * and it has secrets. spawn needs signed ids: on macOS `nobody` has the id -2, which stat returns as 4294967294.
 */
export const spawnOptions = ({ uid, gid, other }: Identity) => ({
  ...(other ? { uid: uid | 0, gid: gid | 0 } : {}),
  cwd: '/',
  env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' },
})

/**
 * The state in PostgreSQL's own postmaster.pid, compared with the processes. `stale`: a killed server left it;
 * `reused` is its process id if another program has it now.
 */
export type ServerStatus =
  | { state: 'absent' | 'stale'; reused?: number }
  | { state: 'alive'; pid: number; doing: 'starting' | 'ready' | 'stopping'; socketFolder: string }

export async function readStatus(cluster: string): Promise<ServerStatus> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  // Process, data folder, start time, port, socket folder, address, shared memory, state: written one after the other.
  const [first = '', , , , socketFolder = '', , , last = ''] = text.split('\n')
  const pid = Number(first)
  // A standalone backend (`postgres --single`) writes its process id with a minus.
  if (!Number.isInteger(pid) || pid <= 0) return { state: 'absent' }
  if (!isRunning(pid)) return { state: 'stale' }
  // Process ids are reused, and a zombie process has no command line.
  if (!(await readCommandLine(pid)).includes(cluster)) return { state: 'stale', reused: pid }
  const doing = last.startsWith('ready') ? 'ready' : last.startsWith('stopping') ? 'stopping' : 'starting'
  return { state: 'alive', pid, doing, socketFolder }
}

/** Returns whether a process exists. True for a zombie process too. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const readCommandLine = (pid: number): Promise<string> =>
  process.platform === 'linux' ? readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : readColumn('command=', pid)

/**
 * Returns the start of a process as a text that no other process with this id has; undefined if there is no process.
 * On Linux, field 22 of /proc/<pid>/stat: clock ticks since the boot. Counted after the name, which may have spaces.
 */
export async function readProcessStart(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return (await readColumn('lstart=', pid)).trim() || undefined
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19]
}

async function readColumn(column: string, pid: number): Promise<string> {
  const { ok, output } = await run(readOwnIdentity(), '/bin/ps', ['-ww', '-o', column, '-p', String(pid)])
  return ok ? output : ''
}

/**
 * Kills the processes of a cluster that have outlived their postmaster. Those that wait for a lock whose holder was killed
 * too never end, and PostgreSQL does not start while one of them has its shared memory. Needs /proc; without it does nothing.
 */
export const killOrphans = (identity: Identity, cluster: string) => shell(identity, orphansScript, cluster)

/** A process of PostgreSQL has the cluster as its working folder. The parent of an orphan does not have it on its command line. */
const orphansScript = `cd "$1" || exit
here=$(pwd -P)
wordsOf() { tr '\\0' ' ' <"/proc/$1/cmdline"; }
for place in /proc/[0-9]*; do
  pid=\${place#/proc/}
  test "$(readlink "$place/cwd")" = "$here" || continue
  case $(wordsOf "$pid") in 'postgres: '*) ;; *) continue ;; esac
  case $(wordsOf "$(sed -n 's/^PPid:[^0-9]*//p' "$place/status")") in *"$1"*) continue ;; esac
  kill -9 "$pid"
done 2>/dev/null`

/** Stops PostgreSQL by its fast shutdown: open transactions are rolled back. Returns when its process is gone. */
export async function stopServer(cluster: string): Promise<void> {
  const running = await readStatus(cluster)
  if (running.state !== 'alive') return
  const { pid } = running
  try {
    process.kill(pid, 'SIGINT')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
  const deadline = Date.now() + 60_000
  for (let now = running as ServerStatus; now.state === 'alive' && now.pid === pid; now = await readStatus(cluster)) {
    if (Date.now() >= deadline)
      throw new EmbeddedProblem(
        `PostgreSQL (process ${pid}) is still stopping after a minute: it is left to finish by itself.`,
      )
    await sleep(20)
  }
  // Waits until our own child is reaped. In a container no other process may reap it.
  for (let turn = 0; turn < 5 && isRunning(pid); turn++) await sleep(10)
}
