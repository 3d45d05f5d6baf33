import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { type NetworkFault, networkFaults } from '../network.ts'
import { type ClockGround, type DiskGround, type Ground, limits, type NetworkGround } from './ground.ts'

/** A way in which something that the service stands on fails, and the longest that it may keep anyone waiting. */
export type BoundedFault<On extends Ground> = {
  name: string
  bounds: Bounds
  /** Resolves when it is over. */
  make(ground: On): Promise<void>
}

/** Milliseconds from the start of a call to its first answer, and from the end of the fault until calls succeed again. */
export type Bounds = { answeredMs: number; recoveredMs: number }

const statementMs = Number(limits.STATEMENT_TIMEOUT_MS)
/** D and R of docs/reliability/liveness.md. A call may be run again for as long as one statement may take. */
const stallMs = Number(limits.CONNECT_TIMEOUT_MS) + statementMs + 2000
const recoveryMs = 15_000
const overNetwork: Bounds = { answeredMs: stallMs + statementMs, recoveredMs: stallMs }
const onBundled: Bounds = { answeredMs: stallMs + statementMs, recoveredMs: recoveryMs }

/** Longer than D, so that what is bounded by it has to end while the fault lasts. */
const lastsMs = stallMs + 1000

const failing = (fault: NetworkFault): BoundedFault<NetworkGround> => ({
  name: `network ${fault}`,
  bounds: overNetwork,
  make: async ({ network }) => {
    network.fail(fault)
    // What is open is cut at once, and may come back.
    if (fault !== 'cut' && fault !== 'reset') await after(lastsMs)
    network.heal()
  },
})

export const faultsOfTheNetwork: readonly BoundedFault<NetworkGround>[] = [
  ...networkFaults.map(failing),
  {
    name: 'standby away for a while',
    // Nothing is acknowledged without it, so writes wait for it; they have an answer all the same.
    bounds: overNetwork,
    make: async ({ standby }) => {
      await standby.kill()
      await after(lastsMs)
      await standby.start()
    },
  },
]

export const failovers: readonly BoundedFault<NetworkGround>[] = [
  failing('reset'),
  {
    name: 'failover to the standby',
    bounds: overNetwork,
    make: async ({ network, primary, standby }) => {
      await primary.kill()
      network.leadTo(null)
      await standby.ask('select pg_promote()')
      network.leadTo(standby.socket)
    },
  },
]

export const faultsOfClocks: readonly BoundedFault<ClockGround>[] = (['service', 'database'] as const).flatMap(
  (whose) =>
    ['+1h', '-1h'].map((by) => ({
      name: `clock of the ${whose} ${by}`,
      bounds: overNetwork,
      make: async ({ set }: ClockGround) => {
        set(whose, by)
        await after(3000)
        set(whose, '+0')
      },
    })),
)

export const faultsOfDisks: readonly BoundedFault<DiskGround>[] = [
  {
    name: 'disk of the database full for 3 s',
    bounds: onBundled,
    make: async ({ folder }) => {
      const until = performance.now() + 3000
      while (performance.now() < until) {
        await fill(folder)
        await after(50)
      }
      await rm(join(folder, 'filler'))
    },
  },
  {
    name: 'disk of the backups full',
    bounds: onBundled,
    make: async ({ service, target }) => {
      const isMade = await service.give('backup', join(target, 'backup.tar')).then(
        () => true,
        (error: { stderr: string }) => {
          if (!error.stderr.includes('ENOSPC')) throw error
          return false
        },
      )
      if (isMade) throw new Error('a backup has room on a disk that has none')
    },
  },
]

/** Takes all that is free. */
async function fill(folder: string): Promise<void> {
  const file = await open(join(folder, 'filler'), 'a')
  const chunk = Buffer.alloc(64 * 1024)
  try {
    for (;;) {
      const { bavail, bsize } = await statfs(folder)
      if (bavail === 0) return
      await file.write(chunk, 0, Math.min(chunk.length, bavail * bsize))
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    await file.close()
  }
}
