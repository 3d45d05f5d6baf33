import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** What PostgreSQL's own postmaster.pid says, held against the processes that really are. */
export type ServerStatus =
  | { state: 'absent' }
  /** left behind by a killed server; `reused` when the process id belongs to another program by now */
  | { state: 'stale'; reused?: number }
  | { state: 'alive'; pid: number; doing: 'starting' | 'ready' | 'stopping'; socketFolder: string }

export async function readStatus(cluster: string): Promise<ServerStatus> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  // Process, data folder, start time, port, socket folder, address, shared memory, state: written one after the other.
  const [first = '', , , , socketFolder = '', , , last = ''] = text.split('\n')
  const pid = Number(first)
  // A backend that works alone writes its process id with a minus.
  if (!Number.isInteger(pid) || pid <= 0) return { state: 'absent' }
  if (!runs(pid)) return { state: 'stale' }
  if (!(await isPostmasterOf(cluster, pid))) return { state: 'stale', reused: pid }
  const doing = last.startsWith('ready') ? 'ready' : last.startsWith('stopping') ? 'stopping' : 'starting'
  return { state: 'alive', pid, doing, socketFolder }
}

/** Also true of a dead process nobody has waited for. */
export function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Process ids are given out again, after a reboot soon; and a dead process nobody waited for has no command line. */
const isPostmasterOf = async (cluster: string, pid: number): Promise<boolean> =>
  (await commandLine(pid)).includes(cluster)

const commandLine = (pid: number): Promise<string> =>
  process.platform === 'linux'
    ? readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    : promisify(execFile)('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)]).then(
        ({ stdout }) => stdout,
        () => '',
      )
