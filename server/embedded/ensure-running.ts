import { secureCluster, takesPassword } from './access.ts'
import { startBackoff } from './backoff.ts'
import { createCluster } from './create.ts'
import { isPrivate } from './folders.ts'
import { sweep } from './leftovers.ts'
import type { Location } from './location.ts'
import type { Machine } from './machine.ts'
import { findPrograms } from './programs.ts'
import type { Settings } from './settings.ts'
import { port } from './socket.ts'
import { type Attempt, startServer, whyEnded } from './start.ts'
import { readStatus, type ServerStatus } from './status.ts'
import { stopServer } from './stop.ts'
import { type Connection, join, type Membership } from './users.ts'

export type Running = { connection: Connection; how: 'created' | 'started' | 'attached'; membership: Membership }

export type Task = {
  machine: Machine
  location: Location
  password: string
  exists: boolean
  /** The settings by which PostgreSQL archives its log; null where it archives nothing. */
  archiving: (() => Promise<Settings>) | null
  progress: (sentence: string) => void
  /** Given up once it aborts. */
  signal?: AbortSignal
}

/**
 * Looks, does the next thing that is missing, and looks again, until PostgreSQL has let us in. Others may create, start
 * and stop at the same time: whatever they did is seen at the next reading.
 */
export async function ensureRunning(task: Task): Promise<Running> {
  const { machine, location, password, archiving, progress, signal } = task
  const backoff = startBackoff(location, progress, signal)
  let bin: string | undefined
  let { exists } = task
  let created = false
  let attempt: Attempt | undefined

  for (;;) {
    const status = await readStatus(location.cluster)
    if (status.state === 'alive' && status.doing === 'ready') {
      const joined = await tryJoin({ location, password, because: backoff.because }, status)
      // The process that hands over by time looks at the clock when it is woken, and slept through the start otherwise.
      if (joined && archiving) process.kill(status.pid, 'SIGHUP')
      if (joined) return { ...joined, how: created ? 'created' : attempt?.pid === status.pid ? 'started' : 'attached' }
    }
    if (attempt?.end()) {
      backoff.because(await whyEnded(attempt, location))
      attempt = undefined
    } else if (!attempt && status.state !== 'alive') {
      bin ??= await backoff.except(findPrograms(machine, location, progress))
      await sweep(location.home, location.identity)
      if (!exists) {
        progress('Preparing the bundled PostgreSQL (first start) …')
        created = await backoff.except(createCluster(bin, location, password))
        // Also what a killed start's initdb was still at work on a moment ago.
        await sweep(location.home, location.identity)
        exists = true
      }
      const reused = status.state === 'stale' ? status.reused : undefined
      const busy = (await takesPassword(location, password))
        ? undefined
        : await backoff.except(secureCluster(bin, location, password, reused))
      if (busy) backoff.because(busy)
      else attempt = await startServer(bin, location, reused, (await archiving?.()) ?? {})
    }
    await backoff.wait(status)
  }
}

type Entry = { location: Location; password: string; because: (reason: string) => undefined }

/** Undefined while PostgreSQL does not let us in, or is about to stop. */
async function tryJoin({ location, password, because }: Entry, status: ServerStatus & { state: 'alive' }) {
  if (!(await isPrivate(status.socketFolder, location.identity)))
    return because(`${status.socketFolder} is not a folder only the user "${location.identity.name}" can open`)
  const connection = { host: status.socketFolder, port, user: 'plumbline', database: 'plumbline', password }
  const membership = await join(connection).catch((error: unknown) => because(String(error)))
  if (!membership) return undefined

  if (!(await takesPassword(location, password))) {
    // It lets everybody in. The last process that uses it stops it, and the next start lets in the service alone.
    await membership.leave(() => stopServer(location.cluster))
    return because('an earlier version of Plumbline uses it')
  }
  // The last user's lock also goes when PostgreSQL ends its connection, moments before it ends ours.
  const now = await readStatus(location.cluster)
  if (now.state === 'alive' && now.pid === status.pid && now.doing === 'ready') return { connection, membership }
  await membership.leave(async () => undefined)
  return undefined
}
