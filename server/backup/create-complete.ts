import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createUnfinishedPath, flush, removeLeftovers } from '../embedded/folders.ts'
import { formatFileTrouble } from '../embedded/problems.ts'
import { readOwnIdentity } from '../embedded/processes.ts'
import { BackupProblem } from './manifest.ts'

export type CompletionRequest = {
  to: string
  /** What to do if something has that name already. */
  ifTaken: string
  /** The way around a folder that cannot be written. */
  remedy: string
  /**
   * What this process could not remove yet: `sweep` leaves it, as what a running process works on. A process that makes
   * one after the other keeps it for the next.
   */
  left?: Set<string>
}

/**
 * Creates a file or a folder that does not exist yet. It has another name until it is whole and on the disk. A refusal
 * of the file system becomes a sentence about the folder that it is made in.
 */
export async function createComplete<T>(whole: CompletionRequest, make: (fresh: string) => Promise<T>): Promise<T> {
  const { to, ifTaken, remedy, left = new Set() } = whole
  const target = resolve(to)
  const parent = dirname(target)
  const fresh = createUnfinishedPath(parent)
  try {
    await mkdir(parent, { recursive: true })
    await refuseTaken(target, ifTaken)
    await removeAll(left)
    await removeLeftovers(parent, readOwnIdentity())
    const made = await make(fresh)
    await refuseTaken(target, ifTaken)
    await rename(fresh, target)
    await flush(parent)
    return made
  } catch (error) {
    throw folderProblem(error, parent, remedy)
  } finally {
    left.add(fresh)
    await removeAll(left)
  }
}

/** Removes paths, and keeps those that cannot be removed. */
async function removeAll(left: Set<string>): Promise<void> {
  for (const path of left)
    await rm(path, { recursive: true, force: true, maxRetries: 3 }).then(
      () => left.delete(path),
      // Tried again with the next one.
      () => undefined,
    )
}

/** An error of the file system in a folder as a sentence about that folder; any other error as it is. */
export function folderProblem(error: unknown, folder: string, remedy: string): unknown {
  const { code, syscall = 'connect', path } = (error ?? {}) as NodeJS.ErrnoException
  const isHere = syscall !== 'connect' && (path === undefined || path.startsWith(folder) || folder.startsWith(path))
  const sentence = isHere ? formatFileTrouble(code, folder, remedy) : undefined
  return sentence === undefined ? error : new BackupProblem(sentence, { cause: error })
}

async function refuseTaken(target: string, advice: string): Promise<void> {
  const there = await stat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (there) throw new BackupProblem(`${target} is there already: ${advice}.`)
}
