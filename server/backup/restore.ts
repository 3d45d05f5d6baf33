import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { findArchiveFolder } from '../embedded/backup.ts'
import { readNames } from '../embedded/folders.ts'
import { pointerName, readPointer } from '../embedded/location.ts'
import { type Moment, readBundledMajor, recoverCluster } from '../embedded/recovery.ts'
import { knownMigrations } from '../store/migration-files.ts'
import { checkArchive, checkEnd } from './archived-segments.ts'
import { BackupProblem, type Manifest } from './manifest.ts'
import { openBackup } from './read-backup.ts'

type RestoreTask = {
  from: string
  /** The data folder, which must hold nothing. */
  folder: string
  user: string | null
  moment: Moment
  /** The folder of PLUMBLINE_ARCHIVE. */
  archive: string | null
  progress(sentence: string): void
}

/** Restores a data folder. Checks the backup and the archive before the cluster gets its name. */
export async function restoreBackup(task: RestoreTask) {
  const { from, moment, archive, folder, user, progress } = task
  const backup = await openBackup(from)
  const { manifest } = backup
  await refuseStrange(manifest, from)
  await refuseTaken(resolve(folder))
  refuseMoment(task, manifest)
  const keys = await backup.keys()
  const isReplayed = archive !== null && moment !== 'copied'
  if (isReplayed) progress('Checking the archive …')
  const archived = isReplayed ? await checkArchive(archive, manifest) : null
  const lastChange = await recoverCluster({
    ...{ folder, user, moment, progress },
    fillCluster: backup.extract,
    archived: archive && findArchiveFolder(archive, manifest.postgres.system_id),
    checkEnd: async (position) => {
      if (archived) checkEnd(archived, position)
    },
    async beforeUse(data) {
      for (const [name, content] of keys)
        await writeFile(join(data, name), content, { flag: 'wx', mode: 0o600, flush: true })
    },
  })
  return { manifest, withKeys: keys.size > 0, lastChange }
}

/** Throws if the backup is of another major version of PostgreSQL, or of a later version of the program. */
async function refuseStrange({ postgres, migrations, plumbline }: Manifest, from: string): Promise<void> {
  const major = await readBundledMajor()
  if (postgres.major !== major)
    throw new BackupProblem(
      `${from} was made by PostgreSQL ${postgres.major} and the bundled one is ${major}: restore it with the version of Plumbline that made it (${plumbline}), and move each company with "plumbline export" and "plumbline import-company".`,
    )
  const known = await knownMigrations()
  const unknown = migrations.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new BackupProblem(
      `${from} was made by a later version of Plumbline (${plumbline}), whose ${unknown.join(', ')} this one does not know: use that version.`,
    )
}

/** Throws if the folder has data. Leftovers of a restore that was killed before there was a cluster are no data. */
async function refuseTaken(folder: string): Promise<void> {
  const names = await readNames(folder)
  const homes = [join(folder, 'postgres'), ...(names.includes(pointerName) ? [(await readPointer(folder)) ?? ''] : [])]
  const hasCluster = (await Promise.all(homes.map(readNames))).some((home) => home.includes('cluster'))
  const left = hasCluster ? [] : ['postgres', 'database-password', pointerName]
  const taken = names.filter((name) => !left.includes(name) && !name.startsWith('.unfinished-'))
  if (taken.length > 0)
    throw new BackupProblem(
      `${folder} is not empty (${taken.slice(0, 3).join(', ')}): move it away, or set PLUMBLINE_DATA to a folder that is empty or not there.`,
    )
}

function refuseMoment({ moment, archive, from }: RestoreTask, { finished_at }: Manifest): void {
  if (moment === 'copied') return
  if (!archive)
    throw new BackupProblem('--to-time needs what was archived: set PLUMBLINE_ARCHIVE to the folder of the archive.')
  if (moment !== 'latest' && moment.at < new Date(finished_at))
    throw new BackupProblem(
      `${from} ended at ${finished_at}, which is after ${moment.text}: take an earlier backup, or leave --to-time out for the end of this one.`,
    )
}
