import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Connection as Embedded } from '../embedded/members.ts'
import { clusterFacts } from '../store/cluster-facts.ts'
import type { Connection } from '../store/database.ts'
import { seenMigrations } from '../store/migrate.ts'
import { type Limit, waitWithin } from '../wait/wait.ts'
import { folderProblem } from './create-complete.ts'
import type { FailureNotes } from './failures.ts'
import type { Manifest } from './manifest.ts'
import { backupsIn, dueAt, keptRemedy, nameAt, removeOld } from './stored-backups.ts'
import { type BackupTask, writeBackup } from './write-backup.ts'

/** A network disk that answers later is one that hangs. The next look tries again. */
const folderLimit: Limit = { ms: 600_000, of: 'the folder of the backups' }

export type BackupRequest = Pick<BackupTask, 'keyFiles' | 'now' | 'onProgress' | 'left'> & {
  config: Config
  notes: FailureNotes
  connection: Connection
  /** Null means PLUMBLINE_BACKUP_TO, where old backups are removed afterwards. */
  to: string | null
  /** Ends the backup when it aborts, which is not noted as a failure. */
  signal?: AbortSignal
}

export type BackupResult = { to: string; manifest: Manifest; removed: { backups: number; segments: number } }

/** Backs up the bundled database. A failure to write to PLUMBLINE_BACKUP_TO is noted. */
export async function runBackup(wanted: BackupRequest): Promise<BackupResult> {
  if (wanted.to === null) return runKept(wanted, async () => true) as Promise<BackupResult>
  const made = await createBackup(wanted, { to: wanted.to, remedy: 'name a place on another disk' })
  return { ...made, removed: { backups: 0, segments: 0 } }
}

/** Backs up to PLUMBLINE_BACKUP_TO. Returns undefined if no backup is due. */
export const runDueBackup = (wanted: Omit<BackupRequest, 'to'>): Promise<BackupResult | undefined> =>
  runKept({ ...wanted, to: null }, async (folder) => {
    const [newest] = await backupsIn(folder)
    return wanted.now() >= dueAt(newest, wanted.config.backupEvery)
  })

async function runKept(
  wanted: BackupRequest,
  isDue: (folder: string) => Promise<boolean>,
): Promise<BackupResult | undefined> {
  const { config, now, signal, notes } = wanted
  const folder = config.backupTo as string
  try {
    if (!(await waitWithin(folderLimit, isDue(folder)))) return undefined
    const made = await createBackup(wanted, { to: join(folder, nameAt(now())), remedy: keptRemedy })
    const removed = await waitWithin(folderLimit, removeOld(folder, config.backupKeep, config.archive))
    await notes.note('backup', null)
    return { ...made, removed }
  } catch (cause) {
    const error = folderProblem(cause, folder, keptRemedy) as Error
    if (!signal?.aborted) await notes.note('backup', { at: now(), says: error.message })
    throw error
  }
}

async function createBackup(
  { connection, keyFiles, left, signal, now, onProgress }: BackupRequest,
  { to, remedy }: Pick<BackupTask, 'to' | 'remedy'>,
) {
  const { systemId } = await clusterFacts(connection)
  const manifest = await writeBackup({
    // A connection to the bundled database has parts, and never an address.
    connection: connection as Embedded,
    systemId,
    migrations: await seenMigrations(connection),
    to,
    remedy,
    ...{ keyFiles, left, signal, now, onProgress },
  })
  return { to, manifest }
}
