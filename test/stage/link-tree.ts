import { copyFile, link, mkdir, readdir, readlink, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * The files of a folder under another path, as hard links: the same files, reached without entering where they came
 * from, which takes no room and hardly any time. Between two file systems they are copied.
 */
export async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  const entries = await readdir(from, { withFileTypes: true })
  await Promise.all(
    entries.map(async (entry) => {
      const [source, target] = [join(from, entry.name), join(to, entry.name)]
      if (entry.isDirectory()) await linkTree(source, target)
      else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
      else await linkFile(source, target)
    }),
  )
}

export async function linkFile(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await link(from, to).catch((error: NodeJS.ErrnoException) => {
    // Some systems also refuse links to files of others.
    if (error.code !== 'EXDEV' && error.code !== 'EPERM') throw error
    return copyFile(from, to)
  })
}
