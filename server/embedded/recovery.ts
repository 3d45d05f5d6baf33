import { chmod, lchown, mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensurePassword, secureCluster } from './access.ts'
import { formatRestoreCommand } from './backup.ts'
import { readStartLog, type ServerStart, startServer } from './cluster.ts'
import { createUnfinishedPath, flush, remove, removeLeftovers } from './folders.ts'
import { findLocation, type Location, readPointer } from './location.ts'
import { keepAlive } from './open.ts'
import { createFileProblem, createProgramProblem, EmbeddedProblem } from './problems.ts'
import { readOwnIdentity, readStatus, shell, stopServer } from './processes.ts'
import { findMachine, findPrograms, readVersion } from './programs.ts'
import type { Settings } from './settings.ts'

/** The moment to which a cluster is recovered: the end of its copy, the end of the archive, or a time between. */
export type Moment = 'copied' | 'latest' | Time

/** `text` is for PostgreSQL, with a numeric offset and up to microseconds. `at` is nearly the same, for comparisons. */
export type Time = { text: string; at: Date }

type RecoveryRequest = {
  /** the data folder */
  folder: string
  user: string | null
  /** Writes the copied cluster into an existing folder. Returns each path in it, folders before their entries. */
  fillCluster(cluster: string): Promise<readonly string[]>
  moment: Moment
  /** the folder with the archived segments of the copied cluster */
  archived: string | null
  /** Checks the position of the last change, where PostgreSQL replayed its log to the end. */
  checkEnd(position: string): Promise<void>
  /** Runs when the cluster is whole, before it gets its name. */
  beforeUse(data: string): Promise<void>
  progress(sentence: string): void
}

export const readBundledMajor = async (): Promise<string> => (await readVersion(findMachine().package)).major

/**
 * Recovers a cluster into a data folder that has none. It gets its name when it is whole and closed to others. Returns
 * the time of the last change in it, if PostgreSQL logs one.
 */
export const recoverCluster = (request: RecoveryRequest): Promise<string | undefined> =>
  keepAlive(async () => {
    const { folder, user, progress, beforeUse } = request
    const machine = findMachine()
    const location = await findLocation(folder, machine.shared, user)
    // Beside PostgreSQL's own folder, which no other user can enter before all of it is given away.
    const parent = dirname(location.home)
    await removeLeftovers(parent, readOwnIdentity())
    const home = createUnfinishedPath(parent)
    const aside: Location = { ...location, home, cluster: join(home, 'cluster') }
    try {
      progress('Copying …')
      await fillFolder(aside, request)
      const bin = await findPrograms(machine, aside, progress)
      progress('Recovering …')
      const last = await runRecovery(bin, aside, request)
      const busy = await secureCluster(bin, aside, await ensurePassword(location))
      if (busy) throw new EmbeddedProblem(`${aside.cluster} is in use: ${busy}.`)
      await beforeUse(location.data)
      await rename(aside.cluster, location.cluster)
      await flush(location.home)
      return last
    } catch (error) {
      const isOfSystem = typeof (error as NodeJS.ErrnoException).syscall === 'string'
      throw isOfSystem && !(error instanceof EmbeddedProblem) ? createFileProblem(error, parent) : error
    } finally {
      await stopServer(aside.cluster)
      await remove(home, readOwnIdentity())
    }
  })

/** Writes into a folder that this process alone can enter, then gives it to PostgreSQL's user from the inside out. */
async function fillFolder({ home, cluster, identity }: Location, request: RecoveryRequest): Promise<void> {
  await mkdir(home, { mode: 0o700 })
  await mkdir(cluster, { mode: 0o700 })
  const paths = [...(await request.fillCluster(cluster)), 'recovery.signal'].map((path) => join(cluster, path))
  await writeFile(join(cluster, 'recovery.signal'), '', { flag: 'wx', mode: 0o600 })
  if (!identity.other) return
  for (const path of [home, cluster, ...paths].toReversed()) await lchown(path, identity.uid, identity.gid)
}

async function createRecoverySettings({ identity }: Location, request: RecoveryRequest): Promise<Settings> {
  const { moment, archived } = request
  const isReadable = archived !== null && (await shell(identity, 'cd "$1" && test -r .', archived)).ok
  if (moment !== 'copied' && !isReadable)
    throw new EmbeddedProblem(
      `The user "${identity.name}", as whom PostgreSQL runs, cannot read ${archived}: give it to that user.`,
    )
  return {
    // Sessions are accepted after the recovery only.
    hot_standby: 'off',
    // PostgreSQL finds a new timeline by the history files. All other files are in the copy.
    restore_command: formatRestoreCommand(isReadable ? archived : null, moment === 'copied' ? '*.history' : '*'),
    recovery_target_action: 'promote',
    ...(moment === 'copied' && { recovery_target: 'immediate', recovery_target_timeline: 'current' }),
    ...(typeof moment === 'object' && { recovery_target_time: moment.text }),
  }
}

/** Starts PostgreSQL, waits without a limit until it has recovered, and stops it. */
async function runRecovery(bin: string, location: Location, request: RecoveryRequest): Promise<string | undefined> {
  const start = await startServer(bin, location, undefined, await createRecoverySettings(location, request))
  for (;;) {
    const now = await readStatus(location.cluster)
    if (now.state === 'alive' && now.doing === 'ready') {
      await stopServer(location.cluster)
      const log = await readStartLog(location, start)
      if (request.moment === 'latest') await request.checkEnd(parseEnd(log))
      return findLastChange(log)
    }
    if (start.end()) throw await createRecoveryProblem(location, start, request)
    await sleep(20)
  }
}

async function createRecoveryProblem(location: Location, start: ServerStart, request: RecoveryRequest) {
  const log = await readStartLog(location, start)
  if (!log.includes('recovery ended before configured recovery target was reached'))
    return createProgramProblem(log, 'recover', location.cluster)
  await request.checkEnd(parseEnd(log))
  const last = findLastChange(log)
  return new EmbeddedProblem(
    `What was archived ends before that moment${last ? `: the last change in it is of ${last}` : ''}; give a moment before that, or "latest" for all there is.`,
  )
}

/** Returns the position at which the last replayed change begins. */
function parseEnd(log: string): string {
  const [, position] = /redo done at ([0-9A-F]{1,8}\/[0-9A-F]{1,8})/.exec(log) ?? []
  if (position) return position
  throw new EmbeddedProblem(
    'PostgreSQL did not log how far it recovered, so it is not known whether everything came back: restore again, or take another backup.',
  )
}

const findLastChange = (log: string): string | undefined =>
  /last completed transaction was at log time ([\d-]{8,12} [\d:.]{5,20})/.exec(log)?.[1]

/** Creates a temporary data folder that PostgreSQL's user can reach. */
export async function createFolderAside(parent: string): Promise<{ folder: string; clear(): Promise<void> }> {
  const folder = await mkdtemp(join(parent, 'plumbline-verify-'))
  await chmod(folder, 0o711)
  const clear = async (): Promise<void> => {
    // The cluster is elsewhere if PostgreSQL's user cannot reach the folder.
    const pointed = await readPointer(folder)
    for (const each of pointed ? [pointed, folder] : [folder]) await remove(each, readOwnIdentity())
  }
  return { folder, clear }
}
