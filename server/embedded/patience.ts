import { setTimeout as sleep } from 'node:timers/promises'
import type { Sight } from './look.ts'
import type { Place } from './place.ts'
import { EmbeddedProblem } from './problem.ts'

/** Waits between two looks, and gives up with the reason last heard. */
export function startPatience({ cluster }: Place, progress: (sentence: string) => void) {
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

    async wait(sight: Sight): Promise<void> {
      const waited = Date.now() - since
      if (waited > longest(sight))
        throw new EmbeddedProblem(
          `PostgreSQL in ${cluster} could not be reached for ${Math.round(waited / 1000)} s (${reason}): ${remedy(sight, reason, cluster)}.`,
        )
      if (waited > 1_000 && !told) {
        told = true
        progress(
          `Waiting for PostgreSQL to ${sight.state === 'alive' && sight.doing === 'stopping' ? 'stop' : 'start'} …`,
        )
      }
      await sleep(waited < 2_000 ? 20 : 200)
    },
  }
}

/** After a power cut PostgreSQL first repeats what was not written out, which may take its time. */
const longest = (sight: Sight): number => (sight.state === 'alive' && sight.doing === 'starting' ? 600_000 : 30_000)

function remedy(sight: Sight, reason: string, cluster: string): string {
  if (sight.state === 'alive') return `stop what uses it, or its process ${sight.pid}, and start again`
  // Left by a crash in the very moment of a start: only people know that nothing runs there any more.
  if (reason.includes('postmaster.pid" is empty')) return `remove ${cluster}/postmaster.pid and start again`
  return 'start again, or set DATABASE_URL'
}
