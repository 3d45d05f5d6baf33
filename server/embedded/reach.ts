import { secureCluster, takesPassword } from './access.ts'
import { type Archive, archiving } from './archive.ts'
import { createCluster, sweepClusters } from './create.ts'
import { isPrivate } from './folders.ts'
import { look, type Sight } from './look.ts'
import type { Machine } from './machine.ts'
import { startPatience } from './patience.ts'
import type { Place } from './place.ts'
import { findPrograms } from './programs.ts'
import { port } from './socket.ts'
import { type Attempt, startServer, whyEnded } from './start.ts'
import { stopServer } from './stop.ts'
import { type Connection, join, type Membership } from './users.ts'

type Reached = { connection: Connection; how: 'created' | 'started' | 'attached'; membership: Membership }

type Task = {
  machine: Machine
  place: Place
  password: string
  exists: boolean
  archive: Archive | null
  progress: (sentence: string) => void
}

/**
 * Looks, does the next thing that is missing, and looks again, until PostgreSQL has let us in. Others may create, start
 * and stop at the same time: whatever they did is seen at the next look.
 */
export async function reach({ machine, place, password, exists, archive, progress }: Task): Promise<Reached> {
  const patience = startPatience(place, progress)
  let bin: string | undefined
  let created = false
  let attempt: Attempt | undefined

  for (;;) {
    const sight = await look(place.cluster)
    if (sight.state === 'alive' && sight.doing === 'ready') {
      const joined = await tryJoin({ place, password, because: patience.because }, sight)
      // The process that hands over by time looks at the clock when it is woken, and slept through the start otherwise.
      if (joined && archive) process.kill(sight.pid, 'SIGHUP')
      if (joined) return { ...joined, how: created ? 'created' : attempt?.pid === sight.pid ? 'started' : 'attached' }
    }
    if (attempt?.end()) {
      patience.because(await whyEnded(attempt, place))
      attempt = undefined
    } else if (!attempt && sight.state !== 'alive') {
      bin ??= await patience.except(findPrograms(machine, place, progress))
      await sweepClusters(place)
      if (!exists) {
        progress('Preparing the bundled PostgreSQL (first start) …')
        created = await patience.except(createCluster(bin, place, password))
        // Also what a killed start's initdb was still at work on a moment ago.
        await sweepClusters(place)
        exists = true
      }
      const reused = sight.state === 'stale' ? sight.reused : undefined
      const busy = (await takesPassword(place, password))
        ? undefined
        : await patience.except(secureCluster(bin, place, password, reused))
      if (busy) patience.because(busy)
      else attempt = await startServer(bin, place, reused, await archiving(place, archive))
    }
    await patience.wait(sight)
  }
}

type Entry = { place: Place; password: string; because: (reason: string) => undefined }

/** Undefined while PostgreSQL does not let us in, or is about to stop. */
async function tryJoin({ place, password, because }: Entry, sight: Sight & { state: 'alive' }) {
  if (!(await isPrivate(sight.socketFolder, place.identity)))
    return because(`${sight.socketFolder} is not a folder only the user "${place.identity.name}" can open`)
  const connection = { host: sight.socketFolder, port, user: 'plumbline', database: 'plumbline', password }
  const membership = await join(connection).catch((error: unknown) => because(String(error)))
  if (!membership) return undefined

  if (!(await takesPassword(place, password))) {
    // It lets everybody in. It is stopped by whoever uses it last, and started again by what lets in the service alone.
    await membership.leave(() => stopServer(place.cluster))
    return because('an earlier version of Plumbline uses it')
  }
  // The last user's lock also goes when PostgreSQL ends its connection, moments before it ends ours.
  const now = await look(place.cluster)
  if (now.state === 'alive' && now.pid === sight.pid && now.doing === 'ready') return { connection, membership }
  await membership.leave(async () => undefined)
  return undefined
}
