import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isRoot } from '#server/embedded/processes.ts'

/**
 * The temporary folders of one run: its workers and programs get the first as TMPDIR, and `fastFolder` returns the second,
 * which is in memory. They are new, so nothing that another user left is in the way, and their removal takes away what a
 * killed program left behind. Others have no access, except where root runs the tests: programs that root starts as
 * another user create files in them.
 */
export default function setup() {
  const { TMPDIR: shared } = process.env
  const folders = [tmpdir(), '/dev/shm'].flatMap(createFolder)
  const [folder, fast] = folders
  process.env.TMPDIR = folder
  if (fast !== undefined) process.env.PLUMBLINE_TEST_MEMORY = fast
  // A run that is stopped by a signal has no teardown, and by some of them no exit either.
  const stop = () => process.exit(130)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.once(signal, stop)
  const clear = () => folders.forEach(removeOrSay)
  const clearAtExit = () => {
    killDescendants()
    clear()
  }
  process.once('exit', clearAtExit)
  return () => {
    for (const signal of signals) process.off(signal, stop)
    process.off('exit', clearAtExit)
    if (shared === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = shared
    clear()
  }
}

/** Returns none if nothing can be created there. */
function createFolder(parent: string): string[] {
  try {
    const folder = mkdtempSync(join(parent, 'plumbline-'))
    chmodSync(folder, isRoot() ? 0o1733 : 0o700)
    return [folder]
  } catch (error) {
    if (parent === tmpdir()) throw error
    return []
  }
}

/** Workers, and the services that they started, would go on and write into folders that are removed. */
function killDescendants(): void {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const parents = rows.map((row) => row.trim().split(/\s+/).map(Number) as [number, number])
  const descendants = [process.pid]
  for (const pid of descendants)
    descendants.push(...parents.filter(([, parent]) => parent === pid).map(([child]) => child))
  for (const pid of descendants.slice(1)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended, as ps itself has.
    }
  }
}

/** Ends the servers and unmounts the disks that a killed test left in the folder: it could not be removed otherwise. */
function removeFolder(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((name) => name.endsWith('/postmaster.pid'))) endServer(join(folder, file))
  for (const line of readMounts().split('\n')) {
    const mountedOn = line.split(' ')[1]
    if (mountedOn?.startsWith(`${folder}/`)) execFileSync('umount', ['--lazy', mountedOn])
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** A folder that cannot be removed is no failure of a test, and vitest would make it one. */
function removeOrSay(folder: string): void {
  try {
    removeFolder(folder)
  } catch (error) {
    process.stderr.write(`${folder} is left behind: ${error}\n`)
  }
}

/** Ends at once the PostgreSQL of this file, unless its process id is of another program by now; waits for its end. */
function endServer(file: string): void {
  try {
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
    const words = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' })
    if (!words.includes(` -D ${dirname(file)}`)) return
    process.kill(pid, 'SIGQUIT')
    // Thrown out of here when it has ended. Nothing asynchronous is done any more while a process exits.
    for (let tries = 0; tries < 200; tries++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25)
      process.kill(pid, 0)
    }
  } catch {
    // It has ended.
  }
}

function readMounts(): string {
  try {
    return readFileSync('/proc/mounts', 'utf8')
  } catch {
    return ''
  }
}
