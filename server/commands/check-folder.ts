import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { findArchiveFolder, readSystemId } from '../embedded/backup.ts'
import { tryFolder } from '../embedded/folders.ts'
import type { EmbeddedState } from '../embedded/open.ts'
import { type Identity, readOwnIdentity } from '../embedded/processes.ts'
import { isChanging } from '../secret.ts'

/** The result of one check, with the advice if it is not ok. A warning is ok, but deserves attention. */
export type Check = { name: string; ok: boolean; warning?: true; says: string }

export const passCheck = (name: string, says: string): Check => ({ name, ok: true, says })
export const warnCheck = (name: string, says: string): Check => ({ name, ok: true, warning: true, says })
export const failCheck = (name: string, says: string): Check => ({ name, ok: false, says })

const freeBytesMin = 1024 ** 3

/** Checks the parts of the data folder that are in use: access, free space, and that others cannot read the key. */
export async function checkFolder(config: Config): Promise<Check[]> {
  if (config.databaseUrl !== null && config.secret !== null) return []
  const folder = resolve(config.dataFolder)
  const nearest = await findExistingFolder(folder)
  return [
    await checkAccess(folder, nearest),
    ...(config.databaseUrl === null ? [await checkRoom(nearest)] : []),
    ...(config.secret === null
      ? [await checkKey(config, join(folder, 'secret'))]
      : [passCheck('key', 'the one of PLUMBLINE_SECRET')]),
  ]
}

/** Returns the folder itself, or the nearest existing one above it. */
async function findExistingFolder(folder: string): Promise<string> {
  const there = await stat(folder).catch(() => undefined)
  const above = dirname(folder)
  return there || above === folder ? folder : findExistingFolder(above)
}

async function checkAccess(folder: string, nearest: string): Promise<Check> {
  const canUse = await access(nearest, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!canUse)
    return failCheck(
      'data folder',
      `this user cannot read and write ${nearest}: change its owner, or set PLUMBLINE_DATA to another folder.`,
    )
  return passCheck('data folder', nearest === folder ? folder : `${folder}, which is created when it is needed`)
}

/** Checks the folders of backups and of the archive: access for the user who writes there, and free space. */
export async function checkTargets({ backupTo, archive }: Config, sight: EmbeddedState | undefined): Promise<Check[]> {
  const own = readOwnIdentity()
  return Promise.all([
    ...(backupTo === null ? [] : [checkTarget('PLUMBLINE_BACKUP_TO', backupTo, own)]),
    ...(archive === null
      ? []
      : [checkTarget('PLUMBLINE_ARCHIVE', await archiveFolder(archive, sight), sight?.identity ?? own)]),
  ])
}

async function checkTarget(name: string, folder: string, identity: Identity): Promise<Check> {
  const trial = await tryFolder(folder, identity)
  if ('wrong' in trial)
    return failCheck('backup', `${name}: ${trial.wrong}: put that right, or set it to another folder.`)
  return passCheck('backup', `${name}: ${gibibytes(trial.freeBytes)} are free for ${resolve(folder)}`)
}

/** Returns the folder of this database, below the folder of the setting. */
async function archiveFolder(archive: string, sight: EmbeddedState | undefined): Promise<string> {
  return sight === undefined ? archive : findArchiveFolder(archive, await readSystemId(sight, sight.cluster))
}

const gibibytes = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GiB`

async function checkRoom(folder: string): Promise<Check> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const says = `${gibibytes(free)} are free on the disk of ${folder}`
  return free < freeBytesMin ? failCheck('disk', `${says}: make room for at least 1 GiB.`) : passCheck('disk', says)
}

async function checkKey(config: Config, file: string): Promise<Check> {
  const stats = await stat(file).catch(() => undefined)
  if (!stats) return passCheck('key', `${file} is created when it is needed`)
  const mode = stats.mode & 0o777
  const says = `${file} has mode ${mode.toString(8).padStart(4, '0')}`
  if (await isChanging(config))
    return failCheck('key', 'a change of the key was cut off: run "plumbline key rotate" again.')
  if ((mode & 0o077) === 0) return passCheck('key', says)
  return failCheck('key', `${says}, so others can read the key that seals tokens: run "chmod 600 ${file}".`)
}
