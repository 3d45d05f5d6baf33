import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createUnfinishedPath, readNames } from '../embedded/folders.ts'
import { outdatedIn } from './archived-segments.ts'
import { folderProblem } from './create-complete.ts'
import { openBackup } from './read-backup.ts'

/** A backup in PLUMBLINE_BACKUP_TO: a folder named by the moment at which it began. */
export type StoredBackup = { path: string; at: Date }

/** Formats the name of a backup from a moment in UTC. Sorted by name, backups are sorted by time. */
export const nameAt = (at: Date): string => `plumbline-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`

const nameForm = /^plumbline-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/

/** The advice for the operator if the folder of backups cannot be used. */
export const keptRemedy = 'set PLUMBLINE_BACKUP_TO to another folder'

/** Reads the backups, newest first. Unfinished ones have another name and are left out. */
export async function backupsIn(folder: string): Promise<StoredBackup[]> {
  const names = await readNames(folder).catch((error: unknown) => {
    throw folderProblem(error, folder, keptRemedy)
  })
  return names
    .filter((name) => nameForm.test(name))
    .toSorted()
    .toReversed()
    .map((name) => ({ path: join(folder, name), at: new Date(name.replace(nameForm, '$1-$2-$3T$4:$5:$6Z')) }))
}

/** Returns the moment at which the next backup is due: at once if there is none. */
export const dueAt = (newest: StoredBackup | undefined, everyMilliseconds: number): Date =>
  new Date(newest ? newest.at.getTime() + everyMilliseconds : 0)

/** Removes all but the newest backups, and the segments archived before them. Returns the counts of both. */
export async function removeOld(folder: string, keep: number, archive: string | null) {
  const all = await backupsIn(folder)
  const old = all.slice(keep)
  for (const { path } of old) {
    // A half removed folder must not be taken for a backup, so it is renamed first.
    const going = createUnfinishedPath(folder)
    await rename(path, going)
    await rm(going, { recursive: true, force: true })
  }
  const oldest = all.slice(0, keep).at(-1)
  const outdated = archive && oldest ? await outdatedIn(archive, (await openBackup(oldest.path)).manifest) : []
  for (const path of outdated) await rm(path, { force: true })
  return { backups: old.length, segments: outdated.length }
}
