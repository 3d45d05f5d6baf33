import { chmod, copyFile, mkdir, readdir, readlink, rename, stat, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ourselves } from './identity.ts'
import { remove, sweep, unfinished } from './leftovers.ts'
import { linkMissing } from './links.ts'
import { codeOf, refusedBy } from './problem.ts'
import { run } from './run.ts'

/** A whole copy of the package, made when missing. It appears at once or not at all. */
export async function copyOf(original: string, copy: string, announce: () => void): Promise<string> {
  if (await isWhole(original, copy)) return copy
  announce()
  const parent = dirname(copy)
  const fresh = unfinished(parent)
  try {
    await sweep(parent, ourselves())
    await copyFolder(original, fresh)
    await linkMissing(fresh)
    // Else a power cut could leave the name of the copy on the disk, and not what is in it.
    await run(ourselves(), 'sync', [])
    await putInPlace(original, fresh, copy)
  } catch (error) {
    throw refusedBy(error, parent)
  } finally {
    await remove(fresh, ourselves())
  }
  return copy
}

/** A copy that another process finished meanwhile is kept; one that lost files is moved aside. */
async function putInPlace(original: string, fresh: string, copy: string): Promise<void> {
  const moved = await rename(fresh, copy).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false
      throw error
    },
  )
  if (moved || (await isWhole(original, copy))) return
  const damaged = `${fresh}-damaged`
  await rename(copy, damaged)
  await rename(fresh, copy)
  await remove(damaged, ourselves())
}

/** Modes are set anew: a private checkout holds files only its owner can read. */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to)
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyFolder(source, target)
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
    else {
      await copyFile(source, target)
      await chmod(target, (await stat(source)).mode & 0o100 ? 0o755 : 0o644)
    }
  }
}

/** Every file is there in full length: folders for temporary files are cleaned file by file on some systems. */
async function isWhole(original: string, copy: string): Promise<boolean> {
  const files = (await readdir(original, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const same = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name)
      const [one, other] = await Promise.all([sizeOf(path), sizeOf(copy + path.slice(original.length))])
      return one === other
    }),
  )
  return same.every(Boolean)
}

const sizeOf = async (path: string): Promise<number | undefined> => (await stat(path).catch(() => undefined))?.size
