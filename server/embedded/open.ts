import { servicePassword } from './access.ts'
import { type Archive, archiving } from './archive.ts'
import { clusterExists } from './create.ts'
import { ensureRunning, type Task } from './ensure-running.ts'
import { isShared } from './identity.ts'
import { keepingAlive } from './keep-alive.ts'
import { type Keeper, keepRunning } from './keep-running.ts'
import { findLocation } from './location.ts'
import { type Machine, thisMachine, versionOf } from './machine.ts'
import { stay } from './stay.ts'
import { stopServer } from './stop.ts'
import type { Connection } from './users.ts'

export type { Keeper } from './keep-running.ts'
export { EmbeddedProblem } from './problem.ts'

export type Embedded = {
  /** options for `pg`: a Unix socket's folder as host */
  connection: Connection
  /** created at a first start, started, or attached to a running one */
  how: 'created' | 'started' | 'attached'
  /** the user as whom root runs it, and whether other programs use that user; null where it is ourselves */
  runsAs: { name: string; isShared: boolean } | null
  /** PostgreSQL's own folder, with the cluster in it. */
  home: string
  /** From here on PostgreSQL is started again whenever it is gone; else it is only used again once others started it. */
  keepRunning(keeper: Keeper): Promise<void>
  /** Leaves: the last one to use this folder stops PostgreSQL. Idempotent. */
  close: () => Promise<void>
}

type Options = {
  /** the data folder, made when missing */
  folder: string
  /** the user as whom root runs it, made by the operator; `nobody` when not given */
  user?: string | null
  /** where PostgreSQL archives its log, when it is started by this */
  archive?: Archive | null
  /** told of steps that may take over a second */
  progress?: (sentence: string) => void
}

/** A running PostgreSQL of our own in this folder, shared with other processes that use the folder. Rejects with EmbeddedProblem. */
export const openEmbedded = async (options: Options): Promise<Embedded> => openOn(thisMachine(), options)

export const openOn = (
  machine: Machine,
  { folder, user = null, archive = null, progress = () => undefined }: Options,
): Promise<Embedded> =>
  keepingAlive(async () => {
    const { major } = await versionOf(machine.package)
    const location = await findLocation(folder, machine.shared, user)
    const task: Task = {
      machine,
      location,
      exists: await clusterExists(location, major),
      password: await servicePassword(location),
      archiving: archive && (() => archiving(location, archive)),
      progress,
    }
    const { connection, how, membership: first } = await ensureRunning(task)
    const membership = stay(first, connection)
    let closing: Promise<void> | undefined
    const close = () => (closing ??= keepingAlive(() => membership.leave(() => stopServer(location.cluster))))
    const { identity, home } = location
    return {
      connection,
      how,
      runsAs: identity.other ? { name: identity.name, isShared: isShared(identity) } : null,
      home,
      keepRunning: async (keeper) =>
        membership.retakeBy(await keepRunning({ ...task, progress: () => undefined }, connection.host, keeper)),
      close,
    }
  })
