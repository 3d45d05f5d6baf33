import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/**
 * When a process started, in a text that only it has: process ids are given out again. Undefined where there is none.
 * On Linux clock ticks since the boot, field 22 of /proc/<pid>/stat, counted behind the name, which may hold anything.
 */
export async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19]
  }
  const { stdout } = await promisify(execFile)('/bin/ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }))
  return stdout.trim() || undefined
}
