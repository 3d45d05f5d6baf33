import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensurePassword, hasPassword, readPassword, secureCluster } from './access.ts'
import { type Archive, prepareArchive, readSystemId } from './backup.ts'
import { clusterExists, createCluster, explainEnd, type ServerStart, startServer } from './cluster.ts'
import { isPrivate, isUnderWork, readStats, removeLeftovers, resolveFolder } from './folders.ts'
import { findLocation, type Location, readPointer } from './location.ts'
import { type Connection, joinUsers, keepMembership, type Membership, type Return } from './members.ts'
import { EmbeddedProblem, isMemoryInUse } from './problems.ts'
import {
  createIdentity,
  findUnprivileged,
  type Identity,
  isRoot,
  isShared,
  killOrphans,
  readOwnIdentity,
  readStatus,
  type ServerStatus,
  stopServer,
} from './processes.ts'
import { findMachine, findPrograms, type Machine, readVersion } from './programs.ts'
import { port, type Settings } from './settings.ts'

export { EmbeddedProblem } from './problems.ts'

export type EmbeddedDatabase = {
  /** options for `pg`: a Unix socket's folder as host */
  connection: Connection
  /** created at a first start, started, or attached to a running one */
  how: 'created' | 'started' | 'attached'
  /** the user as whom root runs it, and whether other programs use that user; null without root */
  runsAs: { name: string; isShared: boolean } | null
  /** PostgreSQL's own folder, with the cluster in it. */
  home: string
  /** Starts PostgreSQL again from now on whenever it is gone. Without it, a start by others is awaited. */
  keepRunning(keeper: Keeper): Promise<void>
  /** Leaves. The last user of this folder stops PostgreSQL. Idempotent. */
  close: () => Promise<void>
}

type OpenRequest = {
  /** the data folder, created if it is missing */
  folder: string
  /** the user as whom root runs it, created by the operator; `nobody` if not given */
  user?: string | null
  /** the archive of a PostgreSQL that is started by this call */
  archive?: Archive | null
  /** called before steps that may take over a second */
  progress?: (sentence: string) => void
}

/** Opens the bundled PostgreSQL, which all processes of the folder share. Rejects with EmbeddedProblem. */
export const openEmbedded = async (request: OpenRequest): Promise<EmbeddedDatabase> => openOn(findMachine(), request)

export const openOn = (
  machine: Machine,
  { folder, user = null, archive = null, progress = () => undefined }: OpenRequest,
): Promise<EmbeddedDatabase> =>
  keepAlive(async () => {
    const { major } = await readVersion(machine.package)
    const location = await findLocation(folder, machine.shared, user)
    const task: ClusterTask = {
      machine,
      location,
      exists: await clusterExists(location, major),
      password: await ensurePassword(location),
      archiving: archive && (() => prepareArchive(location, archive)),
      progress,
    }
    const { connection, how, membership: first } = await ensureRunning(task)
    const membership = keepMembership(first, connection)
    let closing: Promise<void> | undefined
    const { identity, home } = location
    return {
      connection,
      how,
      runsAs: findRunsAs(identity),
      home,
      keepRunning: async (keeper) =>
        membership.retakeBy(await keepRunning({ ...task, progress: () => undefined }, connection.host, keeper)),
      close: () => (closing ??= keepAlive(() => membership.leave(() => stopServer(location.cluster)))),
    }
  })

const findRunsAs = (identity: Identity): EmbeddedDatabase['runsAs'] =>
  identity.other ? { name: identity.name, isShared: isShared(identity) } : null

/** Keeps Node alive while a caller waits: PostgreSQL's process, our connection and the timers are unref'd. */
export async function keepAlive<T>(work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, 60_000)
  return work().finally(() => clearInterval(timer))
}

type ClusterTask = {
  machine: Machine
  location: Location
  password: string
  exists: boolean
  /** Returns the settings by which PostgreSQL archives its log; null without an archive. */
  archiving: (() => Promise<Settings>) | null
  progress: (sentence: string) => void
  /** Ends the wait. */
  signal?: AbortSignal
}

/** The time in milliseconds that sessions have to end by themselves after their postmaster was killed. */
const orphansMs = 1000

/**
 * Reads the status, takes the next missing step, and repeats both until PostgreSQL has let us in. Others may create,
 * start and stop at the same time: the next reading shows it.
 */
async function ensureRunning(task: ClusterTask) {
  const { machine, location, password, archiving, progress } = task
  const { home, cluster, identity } = location
  let waitingSince = Date.now()
  let reason = 'it did not answer'
  let bin: string | undefined
  let { exists } = task
  let created = false
  let isAnnounced = false
  let start: ServerStart | undefined

  for (;;) {
    const status = await readStatus(cluster)
    if (isReady(status)) {
      const joined = await tryJoin(task, status)
      if (typeof joined === 'string') reason = joined
      else if (joined) {
        // The checkpointer fell asleep during the start, when it ignores archive_timeout. SIGHUP wakes it.
        if (archiving) process.kill(status.pid, 'SIGHUP')
        const how = created ? 'created' : start?.pid === status.pid ? 'started' : 'attached'
        return { ...joined, how } as const
      }
    }
    if (start?.end()) {
      reason = await explainEnd(start, location)
      start = undefined
      if (isMemoryInUse(reason) && Date.now() - waitingSince > orphansMs) await killOrphans(identity, cluster)
    } else if (!start && status.state !== 'alive') {
      if (bin === undefined) {
        bin = await findPrograms(machine, location, progress)
        waitingSince = Date.now()
      }
      await removeLeftovers(home, identity)
      if (!exists) {
        progress('Preparing the bundled PostgreSQL (first start) …')
        created = await createCluster(bin, location, password)
        // The initdb of a killed start may have written until a moment ago.
        await removeLeftovers(home, identity)
        exists = true
        waitingSince = Date.now()
      }
      let busy: string | undefined
      if (!(await hasPassword(location, password))) {
        busy = await secureCluster(bin, location, password, status.reused)
        waitingSince = Date.now()
      }
      if (busy) reason = busy
      else start = await startServer(bin, location, status.reused, await archiving?.())
    }
    const waitedMs = Date.now() - waitingSince
    // After a power cut PostgreSQL first replays its log, which may take minutes.
    if (waitedMs > (status.state === 'alive' && status.doing === 'starting' ? 600_000 : 30_000))
      throw new EmbeddedProblem(
        `PostgreSQL in ${cluster} could not be reached for ${Math.round(waitedMs / 1000)} s (${reason}): ${formatRemedy(status, reason, cluster)}.`,
      )
    if (waitedMs > 1_000 && !isAnnounced) {
      isAnnounced = true
      const isStopping = status.state === 'alive' && status.doing === 'stopping'
      progress(`Waiting for PostgreSQL to ${isStopping ? 'stop' : 'start'} …`)
    }
    await sleep(waitedMs < 2_000 ? 20 : 200, undefined, { signal: task.signal })
  }
}

type AliveStatus = ServerStatus & { state: 'alive' }

const isReady = (status: ServerStatus): status is AliveStatus => status.state === 'alive' && status.doing === 'ready'

function formatRemedy(status: ServerStatus, reason: string, cluster: string): string {
  if (status.state === 'alive') return `stop what uses it, or its process ${status.pid}, and start again`
  // A crash during a start left the empty file. Only the operator can tell that no PostgreSQL runs there.
  if (reason.includes('postmaster.pid" is empty')) return `remove ${cluster}/postmaster.pid and start again`
  return 'start again, or set DATABASE_URL'
}

/** Joins the users. Returns the reason if PostgreSQL refuses the connection, undefined if it is about to stop. */
async function tryJoin({ location, password }: ClusterTask, { pid, socketFolder }: AliveStatus) {
  const { cluster, identity } = location
  if (!(await isPrivate(socketFolder, identity)))
    return `${socketFolder} is not a folder only the user "${identity.name}" can open`
  const connection = createConnection(socketFolder, password)
  const membership = await joinUsers(connection).catch(String)
  if (typeof membership === 'string') return membership

  if (!(await hasPassword(location, password))) {
    // This PostgreSQL accepts everybody. Its last user stops it, and the next start accepts the service alone.
    await membership.leave(() => stopServer(cluster))
    return 'an earlier version of Plumbline uses it'
  }
  // The lock of the last user is also released when PostgreSQL ends its connection, moments before it ends ours.
  const now = await readStatus(cluster)
  if (isReady(now) && now.pid === pid) return { connection, membership }
  await membership.leave(async () => undefined)
  return undefined
}

const createConnection = (host: string, password: string): Connection => ({
  host,
  port,
  user: 'plumbline',
  database: 'plumbline',
  password,
})

/** The callbacks of the process that keeps the database running. */
export type Keeper = {
  /** Nothing is started once it aborts. */
  stopping: AbortSignal
  /** Called with the reason why PostgreSQL does not run, once for each distinct sentence until it runs again. */
  onProblem(sentence: string): void
  /** Called when this process has started PostgreSQL again. */
  onStarted(): void
}

/**
 * Returns the function by which `serve` renews a lost membership. It waits for a PostgreSQL that starts or recovers,
 * and starts one that is gone. It creates no cluster, and joins only the first one.
 */
async function keepRunning(task: ClusterTask, host: string, keeper: Keeper): Promise<Return> {
  const { location, machine } = task
  const { cluster } = location
  const systemId = await readSystemId(location, cluster)
  const { major } = await readVersion(machine.package)
  const reported = new Set<string>()

  async function retake(leaving: AbortSignal): Promise<Membership> {
    const signal = AbortSignal.any([leaving, keeper.stopping])
    signal.throwIfAborted()
    try {
      await refuseOther()
      const { connection, how, membership } = await ensureRunning({ ...task, exists: true, signal })
      // Every connection of the service looks for the former socket.
      if (connection.host !== host) {
        await membership.leave(async () => undefined)
        throw new EmbeddedProblem(
          `PostgreSQL was started with its socket in ${connection.host}, and this service looks for it in ${host}: stop all that uses this database and start the service again.`,
        )
      }
      reported.clear()
      if (how === 'started') keeper.onStarted()
      return membership
    } catch (error) {
      if (!signal.aborted) report(error)
      throw error
    }
  }

  async function refuseOther(): Promise<void> {
    const parent = dirname(location.home)
    if (await isUnderWork(parent).catch(() => false))
      throw new EmbeddedProblem(
        `Another process, such as "plumbline restore", is at work in ${parent}: it is waited for.`,
      )
    if (!(await clusterExists(location, major)))
      throw new EmbeddedProblem(
        `The database in ${cluster} is gone: put it back, or restore it from a backup into an empty folder and start the service on that one.`,
      )
    const found = await readSystemId(location, cluster)
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

  return { retake, pauseMsMax: 10_000 }
}

/** The state of a bundled PostgreSQL, running or not. */
export type EmbeddedState = Awaited<ReturnType<typeof inspectEmbedded>>

/**
 * Reads the state of the bundled PostgreSQL of a data folder, and the user as whom it runs, or would. The connection is
 * undefined while it does not run. Starts nothing and changes nothing.
 */
export async function inspectEmbedded(folder: string, user: string | null) {
  const data = await resolveFolder(folder)
  const inside = join(data, 'postgres')
  const pointed = isRoot() && !(await readStats(join(inside, 'cluster'))) ? await readPointer(data) : undefined
  const home = pointed ?? inside
  const cluster = join(home, 'cluster')
  const identity = await findIdentity(home, user)
  const state = { cluster, identity, runsAs: findRunsAs(identity) }
  const status = await readStatus(cluster)
  if (status.state !== 'alive') return { ...state, connection: undefined }
  const { socketFolder: host } = status
  if (host && !(await isPrivate(host, identity)))
    throw new EmbeddedProblem(`${host} is not a folder only the user "${identity.name}" can open: stop what uses it.`)
  const password = await readPassword(data)
  if (password !== undefined) return { ...state, connection: createConnection(host, password) }
  throw new EmbeddedProblem(
    `${data}/database-password is gone: bring it back, or stop all that uses this folder, and the next start draws another one.`,
  )
}

/** Returns the owner of PostgreSQL's own folder, or the user who will own it. */
async function findIdentity(home: string, user: string | null): Promise<Identity> {
  if (!isRoot()) return readOwnIdentity()
  const owner = await readStats(home)
  return owner && owner.uid !== 0 ? createIdentity(owner) : findUnprivileged(user)
}
