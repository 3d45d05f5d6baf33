import { spawn } from 'node:child_process'
import { type Identity, spawnAs } from './identity.ts'
import { findLocation, type Location } from './location.ts'
import { thisMachine } from './machine.ts'
import { saidBy } from './problem.ts'
import { findPrograms } from './programs.ts'

/** Runs a program as `identity` to its end; never rejects. */
export function run(
  identity: Identity,
  file: string,
  args: readonly string[],
  input = '',
): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    let output = ''
    const failed = (error: unknown) => resolve({ ok: false, output: String(error) })
    try {
      const child = spawn(file, args, { ...spawnOptions(identity), stdio: 'pipe' })
      child.stdout.on('data', (chunk) => (output += chunk))
      child.stderr.on('data', (chunk) => (output += chunk))
      child.stdin.on('error', () => undefined)
      child.on('error', failed)
      child.on('close', (code) => resolve({ ok: code === 0, output }))
      child.stdin.end(input)
    } catch (error) {
      // A system call of spawn itself that is not allowed, such as becoming another user.
      failed(error)
    }
  })
}

/**
 * File work in folders of another user is done by that user, never by root: root would follow a link planted there.
 * The arguments are $1, $2, … of the script.
 */
export const shell = (
  identity: Identity,
  script: string,
  ...args: string[]
): Promise<{ ok: boolean; output: string }> => run(identity, '/bin/sh', ['-c', script, 'sh', ...args])

/** Nothing of our environment: PGPORT and the like would change PostgreSQL's defaults, and secrets do not belong there. */
export const spawnOptions = (identity: Identity) => ({
  ...spawnAs(identity),
  cwd: '/',
  env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' },
})

/**
 * Runs commands, one a line, as the bootstrap superuser, in the cluster of a data folder while it is stopped. He is let
 * in by no other way.
 */
export async function asSuperuser(folder: string, commands: string): Promise<void> {
  const machine = thisMachine()
  const location = await findLocation(folder, machine.shared, null)
  const bin = await findPrograms(machine, location, () => undefined)
  const { ok, output } = await runSingleUser(bin, location, commands)
  if (!ok || hasFailed(output)) throw saidBy(output, 'do this', location.cluster)
}

/** `reused`: the process id of a killed server which another program has now; see `startServer`. */
export function runSingleUser(bin: string, { cluster, identity }: Location, commands: string, reused?: number) {
  const alone = ['--single', '-D', cluster, '-c', 'exit_on_error=on', '-c', 'log_checkpoints=off', 'plumbline']
  const reuse = reused === undefined ? [] : [`PG_GRANDPARENT_PID=${reused}`]
  return run(identity, 'env', [...reuse, `${bin}/postgres`, ...alone], `${commands}\n`)
}

export const hasFailed = (output: string): boolean => /^.*\b(ERROR|FATAL|PANIC):/m.test(output)
