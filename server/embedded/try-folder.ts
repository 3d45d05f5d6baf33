import { stat, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Identity, ourselves } from './identity.ts'
import { codeOf } from './problem.ts'
import { shell } from './run.ts'

/** What was found of a folder in which files are to be made: what is wrong, or how many bytes are free. */
export type FolderTrial = { wrong: string } | { freeBytes: number }

/**
 * Tries to make a file in a folder as the user who will, and removes it. A folder that is not there yet is made by us, so
 * that is tried in the nearest one above, which the user has to reach.
 */
export async function tryFolder(path: string, identity: Identity): Promise<FolderTrial> {
  const folder = resolve(path)
  const { nearest, isFolder } = await existing(folder)
  if (!isFolder) return { wrong: `${nearest} is not a folder` }
  if (!(await shell(identity, 'cd "$1"', nearest)).ok)
    return { wrong: `the user "${identity.name}" cannot reach ${nearest}` }
  const by = nearest === folder ? identity : ourselves()
  const { ok, output } = await shell(by, makeAndRemove, nearest)
  if (!ok) return { wrong: wordsOf(output, nearest, by) }
  const { bavail, bsize } = await statfs(nearest)
  return { freeBytes: bavail * bsize }
}

/** The folder, or what is above it. One that may not be looked at counts as there. */
async function existing(path: string): Promise<{ nearest: string; isFolder: boolean }> {
  const above = dirname(path)
  try {
    return { nearest: path, isFolder: (await stat(path)).isDirectory() }
  } catch (error) {
    const isAbsent = ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')
    return isAbsent && above !== path ? existing(above) : { nearest: path, isFolder: true }
  }
}

/** As large as the smallest piece of a disk: an empty file fits on a full one. */
const makeAndRemove = `umask 077; cd "$1" && f="$(mktemp .plumbline-try-XXXXXXXX)" || exit 1
  trap 'rm -f "$f"' EXIT; head -c 4096 /dev/zero >"$f"`

function wordsOf(output: string, folder: string, { name }: Identity): string {
  if (/No space left|quota exceeded/i.test(output)) return `${folder} is full`
  return `the user "${name}" cannot make a file in ${folder} (${output.trim().split('\n').at(-1) ?? ''})`
}
