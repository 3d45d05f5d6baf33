import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { flush } from '../embedded/folders.ts'
import { ourselves } from '../embedded/identity.ts'
import { sweep, unfinished } from '../embedded/leftovers.ts'
import { BackupProblem } from './manifest.ts'

/**
 * Makes a file or a folder where there is none yet. It has another name until it is whole and on the disk. `advice` is
 * what to do where the name is taken.
 */
export async function makeWhole<T>(to: string, advice: string, make: (fresh: string) => Promise<T>): Promise<T> {
  const target = resolve(to)
  const parent = dirname(target)
  await mkdir(parent, { recursive: true })
  await refuseTaken(target, advice)
  await sweep(parent, ourselves())
  const fresh = unfinished(parent)
  try {
    const made = await make(fresh)
    await refuseTaken(target, advice)
    await rename(fresh, target)
    await flush(parent)
    return made
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

async function refuseTaken(target: string, advice: string): Promise<void> {
  const there = await stat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (there) throw new BackupProblem(`${target} is there already: ${advice}.`)
}
