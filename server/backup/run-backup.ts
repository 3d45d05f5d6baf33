import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Connection as Embedded } from '../embedded/users.ts'
import { clusterFacts } from '../store/cluster-facts.ts'
import type { Connection } from '../store/database.ts'
import { seenMigrations } from '../store/migrate.ts'
import { noteOutcome } from './failures.ts'
import { nameAt, removeOld } from './kept.ts'
import type { Manifest } from './manifest.ts'
import { type BackupTask, writeBackup } from './write-backup.ts'

export type Wanted = Pick<BackupTask, 'keyFiles' | 'now' | 'onProgress'> & {
  config: Config
  connection: Connection
  /** Null: among those of PLUMBLINE_BACKUP_TO, of which old ones are removed after it. */
  to: string | null
  /** Given up when it aborts, which is no failure. */
  signal?: AbortSignal
}

export type Made = { to: string; manifest: Manifest; removed: { backups: number; segments: number } }

/** One backup of the bundled database; the service's own backups leave a note where they fail. */
export async function runBackup(wanted: Wanted): Promise<Made> {
  const { config, to } = wanted
  if (to !== null) return { ...(await make(wanted, to)), removed: { backups: 0, segments: 0 } }
  const folder = config.backupTo as string
  try {
    const made = await make(wanted, join(folder, nameAt(wanted.now())))
    const removed = await removeOld(folder, config.backupKeep, config.archive)
    await noteOutcome(config.dataFolder, 'backup', null)
    return { ...made, removed }
  } catch (error) {
    if (!wanted.signal?.aborted)
      await noteOutcome(config.dataFolder, 'backup', { at: wanted.now(), says: (error as Error).message })
    throw error
  }
}

async function make({ connection, keyFiles, signal, now, onProgress }: Wanted, to: string) {
  const { systemId } = await clusterFacts(connection)
  const manifest = await writeBackup({
    // The bundled database is reached by parts, never by an address.
    connection: connection as Embedded,
    systemId,
    migrations: await seenMigrations(connection),
    to,
    ...{ keyFiles, signal, now, onProgress },
  })
  return { to, manifest }
}
