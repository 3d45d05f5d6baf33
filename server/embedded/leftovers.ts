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
  for (const name of await readdir(parent)) {
    const pid = /^\.unfinished-(\d+)-/.exec(name)?.[1]
    if (pid && ((await isOld(join(parent, name))) || !runs(Number(pid)))) await remove(join(parent, name), identity)
  }
}

export const remove = (folder: string, identity: Identity) => run(identity, 'rm', ['-rf', folder])

/** No work here takes an hour: the process id was given to another program since. */
const isOld = (folder: string): Promise<boolean> =>
  lstat(folder).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > 3_600_000,
    () => false,
  )
