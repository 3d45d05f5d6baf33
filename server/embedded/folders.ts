import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, open, readdir, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Identity, weAreRoot } from './identity.ts'
import { codeOf, EmbeddedProblem, refusedBy } from './problem.ts'

/** The data folder, made when missing; its true path. */
export async function dataFolder(folder: string): Promise<string> {
  const path = resolve(folder)
  try {
    const made = await mkdir(path, { recursive: true, mode: 0o700 })
    // Root's PostgreSQL is another user: it may pass through to its own sub-folder, and cannot list the rest.
    if (made && weAreRoot()) await chmod(path, 0o711)
    return await realpath(path)
  } catch (error) {
    throw refusedBy(error, path)
  }
}

/** The true path of a folder that may not be there. */
export const realFolder = (folder: string): Promise<string> =>
  realpath(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return resolve(folder)
    throw refusedBy(error, folder)
  })

/**
 * A folder of root's that others may read; undefined where it cannot be made.
 * One which somebody else made, or may write in, is never used: what lies there is run.
 */
export async function ownFolder(path: string): Promise<string | undefined> {
  try {
    // Our umask may be narrow, the folder is to be read by others. Not changed when it was there before.
    if (await mkdir(path, { recursive: true, mode: 0o755 })) await chmod(path, 0o755)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') return undefined
  }
  const stats = await lstat(path)
  if (!stats.isDirectory() || stats.uid !== process.geteuid?.() || (stats.mode & 0o022) !== 0)
    throw new EmbeddedProblem(
      `${path} is not a folder that only we can write, so it is not safe to use: remove it, or set DATABASE_URL.`,
    )
  return path
}

/** A real folder of `identity`, closed to everybody else. */
export async function isPrivate(path: string, { uid }: Identity): Promise<boolean> {
  const stats = await seen(path)
  if (!stats?.isDirectory()) return false
  return stats.uid === uid >>> 0 && (stats.mode & 0o077) === 0
}

/** What is at this path itself, not following a link; undefined when there is nothing. */
export const seen = (path: string) =>
  lstat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw refusedBy(error, path)
  })

/** The names in a folder; none where it is not there. */
export const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })

/** A short name which only this path has. */
export const shortName = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, 16)

/** A new file that its owner alone reads, on the disk; root makes it for another. */
export async function writeSecret(path: string, text: string, { uid, gid }: { uid: number; gid: number }) {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    if (weAreRoot()) await handle.chown(uid, gid)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A new name is on the disk when its folder is. */
export async function flush(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}
