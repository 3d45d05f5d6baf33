import { execFileSync } from 'node:child_process'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'

/** Where and with what a run was made. */
export type Surroundings = { commit: string; machine: string; at: string; waiting: number }

/** `waiting`: how many processes wanted a processor on average, in the last fifteen minutes. */
export function surroundings(): Surroundings {
  const commit = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
    encoding: 'utf8',
    cwd: join(import.meta.dirname, '..'),
  })
  const machine = `${cpus().length} processors, ${Math.round(totalmem() / 2 ** 30)} GB, Node.js ${process.version}`
  const waiting = Math.round((loadavg()[2] as number) * 10) / 10
  return { commit: commit.trim(), machine, at: new Date().toISOString().slice(0, 16), waiting }
}
