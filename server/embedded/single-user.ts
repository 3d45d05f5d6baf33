import { findLocation, type Location } from './location.ts'
import { thisMachine } from './machine.ts'
import { saidBy } from './problem.ts'
import { findPrograms } from './programs.ts'
import { run } from './run.ts'

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
