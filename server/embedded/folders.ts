import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, link, lstat, mkdir, open, readdir, realpath, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createFileProblem, EmbeddedProblem, findErrorCode, ifExists, isDiskFull, unlessAbsent } from './problems.ts'
import { type Identity, isRoot, isRunning, readOwnIdentity, run, shell } from './processes.ts'

/** Returns the real path of the data folder. Creates it if it is missing. */
export async function ensureDataFolder(folder: string): Promise<string> {
  const path = resolve(folder)
  try {
    // Root's PostgreSQL is another user: it may pass through to its own sub-folder, and cannot list the rest.
    if ((await mkdir(path, { recursive: true, mode: 0o700 })) && isRoot()) await chmod(path, 0o711)
    return await realpath(path)
  } catch (error) {
    throw createFileProblem(error, path)
  }
}

/** Returns the real path of a folder that may be missing. */
export const resolveFolder = async (folder: string): Promise<string> =>
  (await ifExists(realpath(folder), folder)) ?? resolve(folder)

/**
 * Returns a folder of root that others may read, or undefined if it cannot be created. Refuses a folder that another
 * user owns or may write in, because root runs the programs in it.
 */
export async function ensureOwnFolder(path: string): Promise<string | undefined> {
  try {
    // The umask may be stricter than this mode. The mode of an existing folder is not changed.
    if (await mkdir(path, { recursive: true, mode: 0o755 })) await chmod(path, 0o755)
  } catch (error) {
    if (findErrorCode(error) !== 'EEXIST') return undefined
  }
  const stats = await lstat(path)
  if (!stats.isDirectory() || stats.uid !== process.geteuid?.() || (stats.mode & 0o022) !== 0)
    throw new EmbeddedProblem(
      `${path} is not a folder that only we can write, so it is not safe to use: remove it, or set DATABASE_URL.`,
    )
  return path
}

/** Returns whether a path is a real folder of `identity`, closed to all other users. */
export async function isPrivate(path: string, { uid }: Identity): Promise<boolean> {
  const stats = await readStats(path)
  return stats?.isDirectory() === true && stats.uid === uid >>> 0 && (stats.mode & 0o077) === 0
}

/** Reads the facts of a path, not following a link. Returns undefined if it does not exist. */
export const readStats = (path: string) => ifExists(lstat(path), path)

/** Reads the names in a folder. Returns none if it does not exist. */
export const readNames = async (folder: string): Promise<string[]> => (await unlessAbsent(readdir(folder))) ?? []

export const hashPath = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, 16)

/** Reads a file and its owner, not following a link. Returns undefined if it does not exist. */
export async function readOwned(path: string): Promise<{ text: string; uid: number } | undefined> {
  await using handle = await ifExists(open(path, constants.O_RDONLY | constants.O_NOFOLLOW), path)
  return handle && { text: await handle.readFile('utf8'), uid: (await handle.stat()).uid }
}

/** Creates a file atomically, by a hard link to a finished one. Returns false if another start was first. */
export async function createWhole(path: string, write: (path: string) => Promise<void>): Promise<boolean> {
  const folder = dirname(path)
  const whole = createUnfinishedPath(folder)
  try {
    await write(whole)
    await link(whole, path)
    return true
  } catch (error) {
    if (findErrorCode(error) === 'EEXIST') return false
    throw createFileProblem(error, folder)
  } finally {
    await rm(whole, { force: true })
  }
}

/** Writes a small file atomically: its readers see the former content or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const fresh = createUnfinishedPath(dirname(path))
  try {
    const handle = await open(fresh, 'wx', 0o644)
    await handle.writeFile(text).finally(() => handle.close())
    await rename(fresh, path)
  } finally {
    await rm(fresh, { force: true })
  }
}

/** Writes a new file that only its owner can read, and flushes it. Root gives it to another user. */
export async function writeSecret(path: string, text: string, { uid, gid }: { uid: number; gid: number }) {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    if (isRoot()) await handle.chown(uid, gid)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Flushes a folder: only then is a new name in it on the disk. */
export async function flush(folder: string): Promise<void> {
  await using handle = await open(folder, 'r')
  await handle.sync()
}

/** Returns the path of a folder under work: it has the id of its process, and is renamed when it is whole. */
export const createUnfinishedPath = (parent: string): string =>
  join(parent, `.unfinished-${process.pid}-${randomBytes(6).toString('hex')}`)

/** Removes the unfinished files and folders of killed processes. */
export async function removeLeftovers(parent: string, identity: Identity): Promise<void> {
  for (const { path, pid } of await readUnfinished(parent))
    if (!isRunning(pid) || (await isOld(path))) await remove(path, identity)
}

/** Returns whether another process is creating a folder here. It is a restore, and renames the folder at its end. */
export async function isUnderWork(parent: string): Promise<boolean> {
  for (const { path, pid } of await readUnfinished(parent)) {
    const isFolder = (await lstat(path).catch(() => undefined))?.isDirectory()
    if (isFolder && pid !== process.pid && isRunning(pid) && !(await isOld(path))) return true
  }
  return false
}

const readUnfinished = async (parent: string): Promise<{ path: string; pid: number }[]> =>
  (await readdir(parent)).flatMap((name) => {
    const pid = /^\.unfinished-(\d+)-/.exec(name)?.[1]
    return pid ? [{ path: join(parent, name), pid: Number(pid) }] : []
  })

export const remove = (folder: string, identity: Identity) => run(identity, 'rm', ['-rf', folder])

/** Returns whether nothing was written to it or in it for an hour: then another program has the process id. */
async function isOld(folder: string): Promise<boolean> {
  try {
    const names = await readdir(folder).catch(() => [])
    const stats = await Promise.all([folder, ...names.map((name) => join(folder, name))].map((path) => lstat(path)))
    return stats.every(({ mtimeMs }) => Date.now() - mtimeMs > 3_600_000)
  } catch {
    return false
  }
}

/**
 * Creates a file in a folder as the user who will write there, and removes it. If the folder is missing, tries the
 * nearest one above: this process will create the folder, and the user has to reach it.
 */
export async function tryFolder(path: string, identity: Identity): Promise<{ wrong: string } | { freeBytes: number }> {
  const folder = resolve(path)
  const { nearest, isFolder } = await findNearest(folder)
  if (!isFolder) return { wrong: `${nearest} is not a folder` }
  if (!(await shell(identity, 'cd "$1"', nearest)).ok)
    return { wrong: `the user "${identity.name}" cannot reach ${nearest}` }
  const by = nearest === folder ? identity : readOwnIdentity()
  const { ok, output } = await shell(by, tryFileScript, nearest)
  const { bavail, bsize } = await statfs(nearest)
  if (ok) return { freeBytes: bavail * bsize }
  if (isDiskFull(output)) return { wrong: `${nearest} is full` }
  const reason = output.trim().split('\n').at(-1) ?? ''
  return { wrong: `the user "${by.name}" cannot make a file in ${nearest} (${reason})` }
}

/** Returns the folder, or the nearest one above that exists. One that may not be looked at counts as existing. */
async function findNearest(path: string): Promise<{ nearest: string; isFolder: boolean }> {
  try {
    return { nearest: path, isFolder: (await stat(path)).isDirectory() }
  } catch (error) {
    const isAbsent = ['ENOENT', 'ENOTDIR'].includes(findErrorCode(error) ?? '')
    return isAbsent && dirname(path) !== path ? findNearest(dirname(path)) : { nearest: path, isFolder: true }
  }
}

/** Writes a file of one block, because an empty file fits on a full disk. */
const tryFileScript = `umask 077; cd "$1" && f="$(mktemp .plumbline-try-XXXXXXXX)" || exit 1
  trap 'rm -f "$f"' EXIT; head -c 4096 /dev/zero >"$f"`
