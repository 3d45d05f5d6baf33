import { setTimeout as sleep } from 'node:timers/promises'
import type { Location } from './location.ts'
import { EmbeddedProblem } from './problem.ts'
import type { ServerStatus } from './status.ts'

/** Waits between two readings of the status, and gives up with the reason last heard, or once `signal` aborts. */
export function startBackoff(
  { cluster }: Location,
  progress: (sentence: string) => void,
  signal: AbortSignal | undefined,
) {
  let since = Date.now()
  let reason = 'it did not answer'
  let told = false

  return {
    because(why: string): undefined {
      reason = why
    },

    /** Work of our own is not waiting. */
    async except<T>(work: Promise<T>): Promise<T> {
      const result = await work
      since = Date.now()
      return result
    },

    async wait(status: ServerStatus): Promise<void> {
      const waited = Date.now() - since
      if (waited > longest(status))
        throw new EmbeddedProblem(
          `PostgreSQL in ${cluster} could not be reached for ${Math.round(waited / 1000)} s (${reason}): ${remedy(status, reason, cluster)}.`,
        )
      if (waited > 1_000 && !told) {
        told = true
        progress(
          `Waiting for PostgreSQL to ${status.state === 'alive' && status.doing === 'stopping' ? 'stop' : 'start'} …`,
        )
      }
      await sleep(waited < 2_000 ? 20 : 200, undefined, { signal })
    },
  }
}

/** After a power cut PostgreSQL first repeats what was not written out, which may take its time. */
const longest = (status: ServerStatus): number =>
  status.state === 'alive' && status.doing === 'starting' ? 600_000 : 30_000

function remedy(status: ServerStatus, reason: string, cluster: string): string {
  if (status.state === 'alive') return `stop what uses it, or its process ${status.pid}, and start again`
  // Left by a crash in the very moment of a start: only people know that nothing runs there any more.
  if (reason.includes('postmaster.pid" is empty')) return `remove ${cluster}/postmaster.pid and start again`
  return 'start again, or set DATABASE_URL'
}
