import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isRoot } from '#server/embedded/processes.ts'

/** The room in memory for the files of a run, which take less than 2 GiB, and for its programs. */
const roomBytesMin = 6 * 1024 ** 3

/**
 * Creates the temporary folder of one run, which its workers and programs get as TMPDIR: in memory where there is room, as
 * hundreds of databases are created in it and removed again. It is new, so nothing that another user left is in the way, and
 * its removal takes away what a killed program left behind. Others have no access, except where root runs the tests: programs
 * that root starts as another user create files in it.
 */
export default function setup() {
  const { TMPDIR: shared } = process.env
  const folder = createFolderInMemory() ?? createFolder(tmpdir())
  process.env.TMPDIR = folder
  // A run that is stopped by a signal has no teardown, and by some of them no exit either.
  const stop = () => process.exit(130)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.once(signal, stop)
  const clear = () => removeOrSay(folder)
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

function createFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'plumbline-'))
  chmodSync(folder, isRoot() ? 0o1733 : 0o700)
  return folder
}

/** Returns undefined if there is not enough room, or nothing can be created there. */
function createFolderInMemory(): string | undefined {
  let folder: string | undefined
  try {
    folder = createFolder('/dev/shm')
    if (hasRoom(folder)) return folder
  } catch {
    // The disk is left.
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  return undefined
}

/** Returns whether a folder in memory has room for a whole run, and programs in it can be executed. */
function hasRoom(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder)
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0 && Math.min(bavail * bsize, freemem()) > roomBytesMin
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
