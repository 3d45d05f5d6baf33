import { constants } from 'node:fs'
import { link, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unfinished } from './leftovers.ts'
import { codeOf, EmbeddedProblem, refusedBy } from './problem.ts'

/** The pointer file in a data folder whose cluster is elsewhere: for people, and for the next start. */
export const pointerName = 'postgres-is-elsewhere.txt'
const pointerIn = (folder: string): string => join(folder, pointerName)

const text = (home: string, user: string): string =>
  `The bundled PostgreSQL does not run as root but as the user "${user}", who cannot reach this folder.
So the database of this folder is kept in the folder below: it belongs into every backup.
Without this note the database is not found again.

${home}
`

/** False when another start was first. A pointer file appears whole: as a second name of a finished file. */
export async function writePointer(folder: string, home: string, user: string): Promise<boolean> {
  const whole = unfinished(folder)
  try {
    await writeFile(whole, text(home, user), { flag: 'wx', mode: 0o644 })
    await link(whole, pointerIn(folder))
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw refusedBy(error, folder)
  } finally {
    await rm(whole, { force: true })
  }
}

/** Where the pointer file leads. Only our own is believed, or another user could send root anywhere. */
export async function readPointer(folder: string): Promise<string | undefined> {
  const pointer = await open(pointerIn(folder), constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw refusedBy(error, pointerIn(folder))
  })
  if (!pointer) return undefined
  try {
    const home = (await pointer.readFile('utf8')).trimEnd().split('\n').at(-1)
    if ((await pointer.stat()).uid === process.geteuid?.() && home?.startsWith('/')) return home
  } finally {
    await pointer.close()
  }
  throw new EmbeddedProblem(
    `${pointerIn(folder)} was not written by this user, so it is not believed: start as the user who made ${folder}, or set PLUMBLINE_DATA to another folder.`,
  )
}
