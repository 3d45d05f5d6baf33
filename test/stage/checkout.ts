import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
/** What is no source. */
const left = new Set(['.git', '.env', 'node_modules', 'data'])

/** A checkout of its own with the sources of this one and its packages, in which no interface has been built. */
export async function copyOfCheckout(folder: string): Promise<string> {
  await mkdir(folder)
  const names = (await readdir(root)).filter((name) => !left.has(name))
  await Promise.all(
    names.map((name) =>
      cp(join(root, name), join(folder, name), {
        recursive: true,
        filter: (path) => !path.startsWith(join(root, 'console/dist')),
      }),
    ),
  )
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
