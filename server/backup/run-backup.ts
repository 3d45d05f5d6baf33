import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Connection as Embedded } from '../embedded/members.ts'
import { clusterFacts } from '../store/cluster-facts.ts'
import type { Connection } from '../store/database.ts'
import { seenMigrations } from '../store/migrate.ts'
import type { FailureNotes } from './failures.ts'
import { backupsIn, dueAt, keptRemedy, nameAt, removeOld } from './kept.ts'
import { folderProblem } from './make-whole.ts'
import type { Manifest } from './manifest.ts'
import { type BackupTask, writeBackup } from './write-backup.ts'

export type Wanted = Pick<BackupTask, 'keyFiles' | 'now' | 'onProgress' | 'left'> & {
  config: Config
  notes: FailureNotes
  connection: Connection
  /** Null: among those of PLUMBLINE_BACKUP_TO, of which old ones are removed after it. */
  to: string | null
  /** Given up when it aborts, which is no failure. */
  signal?: AbortSignal
}

export type Made = { to: string; manifest: Manifest; removed: { backups: number; segments: number } }

/** One backup of the bundled database; the service's own backups leave a note where they fail. */
export async function runBackup(wanted: Wanted): Promise<Made> {
  if (wanted.to === null) return runKept(wanted, async () => true) as Promise<Made>
  const made = await make(wanted, { to: wanted.to, remedy: 'name a place on another disk' })
  return { ...made, removed: { backups: 0, segments: 0 } }
}

/** The same among those of PLUMBLINE_BACKUP_TO, if one is due; returns undefined if none is. */
export const runDueBackup = (wanted: Omit<Wanted, 'to'>): Promise<Made | undefined> =>
  runKept({ ...wanted, to: null }, async (folder) => {
    const [newest] = await backupsIn(folder)
    return wanted.now() >= dueAt(newest, wanted.config.backupEvery)
  })

async function runKept(wanted: Wanted, isDue: (folder: string) => Promise<boolean>): Promise<Made | undefined> {
  const { config, now, signal, notes } = wanted
  const folder = config.backupTo as string
  try {
    if (!(await isDue(folder))) return undefined
    const made = await make(wanted, { to: join(folder, nameAt(now())), remedy: keptRemedy })
    const removed = await removeOld(folder, config.backupKeep, config.archive)
    await notes.note('backup', null)
    return { ...made, removed }
  } catch (cause) {
    const error = folderProblem(cause, folder, keptRemedy) as Error
    if (!signal?.aborted) await notes.note('backup', { at: now(), says: error.message })
    throw error
  }
}

async function make(
  { connection, keyFiles, left, signal, now, onProgress }: Wanted,
  { to, remedy }: Pick<BackupTask, 'to' | 'remedy'>,
) {
  const { systemId } = await clusterFacts(connection)
  const manifest = await writeBackup({
    // The bundled database is reached by parts, never by an address.
    connection: connection as Embedded,
    systemId,
    migrations: await seenMigrations(connection),
    to,
    remedy,
    ...{ keyFiles, left, signal, now, onProgress },
  })
  return { to, manifest }
}
