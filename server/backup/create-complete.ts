import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createUnfinishedPath, flush, removeLeftovers } from '../embedded/folders.ts'
import { formatFileTrouble, unlessAbsent } from '../embedded/problems.ts'
import { readOwnIdentity } from '../embedded/processes.ts'
import { atMost, type Limit, waitWithin } from '../wait/wait.ts'
import { BackupProblem } from './manifest.ts'

/** A disk that answers later is one that hangs. */
const folderLimit: Limit = { ms: 600_000, of: 'the folder of a backup' }

export type CompletionRequest = {
  to: string
  /** The advice for the operator if the name is taken. */
  ifTaken: string
  /** The advice for the operator if the folder cannot be written. */
  remedy: string
  /**
   * Paths that this process could not remove yet, and tries again. `removeLeftovers` skips them while this process
   * runs, so a process that creates several passes the same set each time.
   */
  left?: Set<string>
}

/**
 * Creates a file or a folder that does not exist yet. It has a temporary name until it is whole and flushed. Throws a
 * `BackupProblem` about the parent folder if the file system refuses.
 */
export async function createComplete<T>(whole: CompletionRequest, make: (fresh: string) => Promise<T>): Promise<T> {
  const { to, ifTaken, remedy, left = new Set() } = whole
  const target = resolve(to)
  const parent = dirname(target)
  const fresh = createUnfinishedPath(parent)
  const prepare = async (): Promise<void> => {
    await mkdir(parent, { recursive: true })
    await refuseTaken(target, ifTaken)
    await removeAll(left)
    await removeLeftovers(parent, readOwnIdentity())
  }
  const giveName = async (): Promise<void> => {
    await refuseTaken(target, ifTaken)
    await rename(fresh, target)
    await flush(parent)
  }
  try {
    await waitWithin(folderLimit, prepare())
    const made = await make(fresh)
    await waitWithin(folderLimit, giveName())
    return made
  } catch (error) {
    throw folderProblem(error, parent, remedy)
  } finally {
    left.add(fresh)
    await atMost(folderLimit.ms, removeAll(left))
  }
}

/** Removes paths. Those that cannot be removed stay in the set. */
async function removeAll(left: Set<string>): Promise<void> {
  for (const path of left)
    await rm(path, { recursive: true, force: true, maxRetries: 3 }).then(
      () => left.delete(path),
      // The next call tries again.
      () => undefined,
    )
}

/** Returns a `BackupProblem` about the folder for an error of the file system in it, and any other error unchanged. */
export function folderProblem(error: unknown, folder: string, remedy: string): unknown {
  const { code, syscall = 'connect', path } = (error ?? {}) as NodeJS.ErrnoException
  const isHere = syscall !== 'connect' && (path === undefined || path.startsWith(folder) || folder.startsWith(path))
  const sentence = isHere ? formatFileTrouble(code, folder, remedy) : undefined
  return sentence === undefined ? error : new BackupProblem(sentence, { cause: error })
}

async function refuseTaken(target: string, advice: string): Promise<void> {
  if (await unlessAbsent(stat(target))) throw new BackupProblem(`${target} is there already: ${advice}.`)
}
