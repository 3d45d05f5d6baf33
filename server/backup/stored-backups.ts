import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createUnfinishedPath, readNames } from '../embedded/folders.ts'
import { outdatedIn } from './archived-segments.ts'
import { folderProblem } from './create-complete.ts'
import { openBackup } from './read-backup.ts'

/** The backups that a folder of them holds, each a folder named by the moment in which it began. */
export type StoredBackup = { path: string; at: Date }

/** A name with its moment in UTC; in the order of the alphabet they are in the order of time. */
export const nameAt = (at: Date): string => `plumbline-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`

function momentOf(name: string): Date | undefined {
  const [, year, month, day, hour, minute, second] =
    /^plumbline-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(name) ?? []
  return year === undefined ? undefined : new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

/** The way around a folder of backups that cannot be used. */
export const keptRemedy = 'set PLUMBLINE_BACKUP_TO to another folder'

/** Newest first. Only what has its final name counts, and what has it is whole. */
export async function backupsIn(folder: string): Promise<StoredBackup[]> {
  const names = await readNames(folder).catch((error: unknown) => {
    throw folderProblem(error, folder, keptRemedy)
  })
  return names
    .toSorted()
    .toReversed()
    .flatMap((name) => {
      const at = momentOf(name)
      return at ? [{ path: join(folder, name), at }] : []
    })
}

/** When the next one is due; at once where there is none. */
export const dueAt = (newest: StoredBackup | undefined, everyMilliseconds: number): Date =>
  new Date(newest ? newest.at.getTime() + everyMilliseconds : 0)

/** Removes all but the newest, and what was archived before the oldest of these. Says how many of each are gone. */
export async function removeOld(folder: string, keep: number, archive: string | null) {
  const all = await backupsIn(folder)
  const old = all.slice(keep)
  for (const { path } of old) {
    // Cut off in the middle, what is left must not be taken for a backup.
    const going = createUnfinishedPath(folder)
    await rename(path, going)
    await rm(going, { recursive: true, force: true })
  }
  const oldest = all.slice(0, keep).at(-1)
  const outdated = archive && oldest ? await outdatedIn(archive, (await openBackup(oldest.path)).manifest) : []
  for (const path of outdated) await rm(path, { force: true })
  return { backups: old.length, segments: outdated.length }
}
