import { chmod, lchown, mkdir, mkdtemp, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { secureCluster, servicePassword } from './access.ts'
import { restoreCommand } from './archive.ts'
import { flush } from './folders.ts'
import { ourselves } from './identity.ts'
import { keepingAlive } from './keep-alive.ts'
import { remove, sweep, unfinished } from './leftovers.ts'
import { findLocation, type Location } from './location.ts'
import { thisMachine, versionOf } from './machine.ts'
import { readPointer } from './pointer.ts'
import { EmbeddedProblem, refusedBy, saidBy } from './problem.ts'
import { findPrograms } from './programs.ts'
import { shell } from './run.ts'
import type { Settings } from './settings.ts'
import { type Attempt, lastWords, startServer } from './start.ts'
import { readStatus } from './status.ts'
import { stopServer } from './stop.ts'

/** The moment a cluster is brought to: where its copy ended, the end of what was archived, or one between. */
export type Moment = 'copied' | 'latest' | Time

/** As PostgreSQL reads it, with a numeric offset and up to microseconds; and nearly the same to compare with others. */
export type Time = { text: string; at: Date }

export type Recovery = {
  /** the data folder */
  folder: string
  user: string | null
  /** writes the copied cluster into a folder that is there, and says each path in it, folders before what is in them */
  fill(cluster: string): Promise<readonly string[]>
  moment: Moment
  /** of PostgreSQL's log: the folder with the segments of the copied cluster */
  archived: string | null
  /** checks how far PostgreSQL came, where it replayed its log to the end: at which position the last change begins */
  checkEnd(position: string): Promise<void>
  /** when the cluster is whole and before it has its name */
  beforeUse(data: string): Promise<void>
  progress(sentence: string): void
}

/** The major version of the PostgreSQL that is bundled here. */
export const bundledMajor = async (): Promise<string> => (await versionOf(thisMachine().package)).major

/**
 * A cluster in a data folder that has none. It has its name when it is whole, has recovered and is closed to others. Says
 * when the last change in it was made, where PostgreSQL tells.
 */
export const recoverInto = (recovery: Recovery): Promise<string | undefined> =>
  keepingAlive(async () => {
    const { folder, user, progress, beforeUse } = recovery
    const machine = thisMachine()
    const location = await findLocation(folder, machine.shared, user)
    // Beside PostgreSQL's own folder: nobody but us gets in before all of it is given away.
    const parent = dirname(location.home)
    await sweep(parent, ourselves())
    const home = unfinished(parent)
    const aside: Location = { ...location, home, cluster: join(home, 'cluster') }
    try {
      progress('Copying …')
      await fill(aside, recovery)
      const bin = await findPrograms(machine, aside, progress)
      progress('Recovering …')
      const last = await recover(bin, aside, recovery)
      const busy = await secureCluster(bin, aside, await servicePassword(location), undefined)
      if (busy) throw new EmbeddedProblem(`${aside.cluster} is in use: ${busy}.`)
      await beforeUse(location.data)
      await rename(aside.cluster, location.cluster)
      await flush(location.home)
      return last
    } catch (error) {
      throw error instanceof EmbeddedProblem || !isOfSystem(error) ? error : refusedBy(error, parent)
    } finally {
      await stopServer(aside.cluster)
      await remove(home, ourselves())
    }
  })

const isOfSystem = (error: unknown): boolean => typeof (error as NodeJS.ErrnoException).syscall === 'string'

/** Written by us into a folder that only we can enter, then given to PostgreSQL's user from the inside out. */
async function fill({ home, cluster, identity }: Location, { fill }: Recovery): Promise<void> {
  await mkdir(home, { mode: 0o700 })
  await mkdir(cluster, { mode: 0o700 })
  const paths = [...(await fill(cluster)), 'recovery.signal']
  await (await open(join(cluster, 'recovery.signal'), 'wx', 0o600)).close()
  if (!identity.other) return
  for (const path of paths.toReversed()) await lchown(join(cluster, path), identity.uid, identity.gid)
  for (const path of [cluster, home]) await lchown(path, identity.uid, identity.gid)
}

async function settingsOf(aside: Location, { moment, archived }: Recovery): Promise<Settings> {
  const { identity } = aside
  const isReadable = archived !== null && (await shell(identity, 'cd "$1" && test -r .', archived)).ok
  if (moment !== 'copied' && !isReadable)
    throw new EmbeddedProblem(
      `The user "${identity.name}", as whom PostgreSQL runs, cannot read ${archived}: give it to that user.`,
    )
  return {
    // Nobody signs in before it has recovered.
    hot_standby: 'off',
    // What was archived also tells which timelines there are: this becomes a new one. All else of a copy is in it.
    restore_command: restoreCommand(isReadable ? archived : null, moment === 'copied' ? '*.history' : '*'),
    recovery_target_action: 'promote',
    ...targetOf(moment),
  }
}

const targetOf = (moment: Moment): Settings =>
  moment === 'copied'
    ? { recovery_target: 'immediate', recovery_target_timeline: 'current' }
    : moment === 'latest'
      ? {}
      : { recovery_target_time: moment.text }

/** Starts it, waits until it has recovered, however long that takes, and stops it. */
async function recover(bin: string, location: Location, recovery: Recovery): Promise<string | undefined> {
  const attempt = await startServer(bin, location, undefined, await settingsOf(location, recovery))
  for (;;) {
    const now = await readStatus(location.cluster)
    if (now.state === 'alive' && now.doing === 'ready') {
      await stopServer(location.cluster)
      const words = await lastWords(location, attempt)
      if (recovery.moment === 'latest') await recovery.checkEnd(endIn(words))
      return lastChangeIn(words)
    }
    if (attempt.end()) throw await notRecovered(location, attempt, recovery)
    await sleep(20)
  }
}

async function notRecovered(location: Location, attempt: Attempt, recovery: Recovery): Promise<EmbeddedProblem> {
  const words = await lastWords(location, attempt)
  const last = lastChangeIn(words)
  if (words.includes('recovery ended before configured recovery target was reached')) {
    await recovery.checkEnd(endIn(words))
    return new EmbeddedProblem(
      `What was archived ends before that moment${last ? `: the last change in it is of ${last}` : ''}; give a moment before that, or "latest" for all there is.`,
    )
  }
  return saidBy(words, 'recover', location.cluster)
}

/** Where the last change that PostgreSQL replayed begins in its log. */
function endIn(words: string): string {
  const [, position] = /redo done at ([0-9A-F]{1,8}\/[0-9A-F]{1,8})/.exec(words) ?? []
  if (position) return position
  throw new EmbeddedProblem(
    'PostgreSQL did not log how far it recovered, so it is not known whether everything came back: restore again, or take another backup.',
  )
}

const lastChangeIn = (words: string): string | undefined =>
  /last completed transaction was at log time ([\d-]{8,12} [\d:.]{5,20})/.exec(words)?.[1]

/** A data folder for a while, where PostgreSQL's user can reach it. */
export async function folderAside(parent: string): Promise<{ folder: string; clear(): Promise<void> }> {
  const folder = await mkdtemp(join(parent, 'plumbline-verify-'))
  await chmod(folder, 0o711)
  const clear = async (): Promise<void> => {
    // Where PostgreSQL's user cannot reach it, the cluster is elsewhere.
    const elsewhere = await readPointer(folder)
    for (const each of elsewhere ? [elsewhere, folder] : [folder]) await remove(each, ourselves())
  }
  return { folder, clear }
}
