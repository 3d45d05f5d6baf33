import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rename, symlink, unlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

/**
 * npm packages carry no symbolic links, so the package lists them and makes them in an install script, which npm may
 * refuse to run. Makes those that are missing; false when they cannot be made here.
 */
export async function linkMissing(folder: string): Promise<boolean> {
  const links = JSON.parse(await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8')) as Link[]
  const made = await Promise.all(links.map((link) => linkOne(folder, link)))
  return made.every(Boolean)
}

type Link = { source: string; target: string }

/** Renaming a finished link into place is atomic: two processes may do it at once, and a broken link is replaced. */
async function linkOne(folder: string, { source, target }: Link): Promise<boolean> {
  const location = join(folder, target)
  if (existsSync(location)) return true
  const unfinished = `${location}.${randomBytes(6).toString('hex')}`
  try {
    await symlink(relative(dirname(target), source), unfinished)
    await rename(unfinished, location)
  } catch {
    await unlink(unfinished).catch(() => undefined)
  }
  return existsSync(location)
}
