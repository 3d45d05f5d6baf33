import { thisMachine } from './machine.ts'
import { findPlace, type Place } from './place.ts'
import { saidBy } from './problem.ts'
import { findPrograms } from './programs.ts'
import { run } from './run.ts'

/**
 * Runs commands, one a line, as the bootstrap superuser, in the cluster of a data folder while it is stopped. He is let
 * in by no other way.
 */
export async function asSuperuser(folder: string, commands: string): Promise<void> {
  const machine = thisMachine()
  const place = await findPlace(folder, machine.shared, null)
  const bin = await findPrograms(machine, place, () => undefined)
  const { ok, output } = await runAlone(bin, place, commands)
  if (!ok || hasFailed(output)) throw saidBy(output, 'do this', place.cluster)
}

/** `reused`: the process id of a killed server which another program has now; see `startServer`. */
export function runAlone(bin: string, { cluster, identity }: Place, commands: string, reused?: number) {
  const alone = ['--single', '-D', cluster, '-c', 'exit_on_error=on', '-c', 'log_checkpoints=off', 'plumbline']
  const reuse = reused === undefined ? [] : [`PG_GRANDPARENT_PID=${reused}`]
  return run(identity, 'env', [...reuse, `${bin}/postgres`, ...alone], `${commands}\n`)
}

export const hasFailed = (output: string): boolean => /^.*\b(ERROR|FATAL|PANIC):/m.test(output)
