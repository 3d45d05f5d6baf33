import { randomBytes } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Identity } from './identity.ts'
import { run } from './run.ts'
import { runs } from './status.ts'

/** A folder under work is named after the process that works on it, and renamed when it is whole. */
export const unfinished = (parent: string): string =>
  join(parent, `.unfinished-${process.pid}-${randomBytes(6).toString('hex')}`)

/** Removes what killed processes left behind. */
export async function sweep(parent: string, identity: Identity): Promise<void> {
  for (const { path, pid } of await unfinishedIn(parent)) {
    if ((await isOld(path)) || !runs(pid)) await remove(path, identity)
  }
}

/** Whether another process is making a folder here: a restore, which gives it the name of the cluster at its end. */
export async function isUnderWork(parent: string): Promise<boolean> {
  for (const { path, pid } of await unfinishedIn(parent)) {
    if (pid !== process.pid && runs(pid) && !(await isOld(path)) && (await isFolder(path))) return true
  }
  return false
}

async function unfinishedIn(parent: string): Promise<{ path: string; pid: number }[]> {
  return (await readdir(parent)).flatMap((name) => {
    const pid = /^\.unfinished-(\d+)-/.exec(name)?.[1]
    return pid ? [{ path: join(parent, name), pid: Number(pid) }] : []
  })
}

const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )

export const remove = (folder: string, identity: Identity) => run(identity, 'rm', ['-rf', folder])

/**
 * No work here writes nothing for an hour: the process id was given to another program since. A file of a folder changes
 * without changing the folder.
 */
async function isOld(folder: string): Promise<boolean> {
  try {
    const names = await readdir(folder).catch(() => [])
    const stats = await Promise.all([folder, ...names.map((name) => join(folder, name))].map((path) => lstat(path)))
    return stats.every(({ mtimeMs }) => Date.now() - mtimeMs > 3_600_000)
  } catch {
    return false
  }
}
