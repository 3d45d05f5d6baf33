import { dirname } from 'node:path'
import { systemIdOf } from './archive.ts'
import { clusterExists } from './create.ts'
import { ensureRunning, type Running, type Task } from './ensure-running.ts'
import { isUnderWork } from './leftovers.ts'
import { versionOf } from './machine.ts'
import { EmbeddedProblem } from './problem.ts'
import type { Way } from './stay.ts'

/** What the process that owns the database learns of it. */
export type Keeper = {
  /** Nothing is started once it aborts. */
  stopping: AbortSignal
  /** Why PostgreSQL does not run, once for each distinct sentence until it runs again. */
  onProblem(sentence: string): void
  /** PostgreSQL was started again by this process. */
  onStarted(): void
}

const pauseMsMax = 10_000

/**
 * The way of `serve` back to a PostgreSQL that was lost: it waits for one that starts or recovers, and starts one that
 * is gone. It never makes a cluster, and takes no other than the one that it began with.
 */
export async function keepRunning(task: Task, host: string, keeper: Keeper): Promise<Way> {
  const { location, machine } = task
  const systemId = await systemIdOf(location, location.cluster)
  const { major } = await versionOf(machine.package)
  const reported = new Set<string>()

  async function retake(leaving: AbortSignal) {
    const signal = AbortSignal.any([leaving, keeper.stopping])
    signal.throwIfAborted()
    try {
      await refuseOther()
      const running = await ensureRunning({ ...task, exists: true, signal })
      if (running.connection.host !== host) throw await elsewhere(running, host)
      reported.clear()
      if (running.how === 'started') keeper.onStarted()
      return running.membership
    } catch (error) {
      if (!signal.aborted) report(error)
      throw error
    }
  }

  async function refuseOther(): Promise<void> {
    const { cluster, home } = location
    const parent = dirname(home)
    if (await isUnderWork(parent).catch(() => false))
      throw new EmbeddedProblem(
        `Another process, such as "plumbline restore", is at work in ${parent}: it is waited for.`,
      )
    if (!(await clusterExists(location, major)))
      throw new EmbeddedProblem(
        `The database in ${cluster} is gone: put it back, or restore it from a backup into an empty folder and start the service on that one.`,
      )
    const found = await systemIdOf(location, cluster)
    if (found === systemId) return
    throw new EmbeddedProblem(
      `The database in ${cluster} is another one (its system identifier is ${found} and was ${systemId}): put the former one back, or stop the service and start it again on this one.`,
    )
  }

  function report(error: unknown): void {
    const sentence = error instanceof Error ? error.message : String(error)
    // Seconds and process ids in it differ each time.
    const kind = sentence.replaceAll(/\d+/g, '')
    if (reported.has(kind)) return
    reported.add(kind)
    keeper.onProblem(sentence)
  }

  return { retake, pauseMsMax }
}

/** Every connection of the service looks for the former socket. */
async function elsewhere({ connection, membership }: Running, host: string): Promise<EmbeddedProblem> {
  await membership.leave(async () => undefined)
  return new EmbeddedProblem(
    `PostgreSQL was started with its socket in ${connection.host}, and this service looks for it in ${host}: stop all that uses this database and start the service again.`,
  )
}
