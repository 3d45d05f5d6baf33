import { tmpdir } from 'node:os'
import { EmbeddedProblem, openEmbedded } from '../embedded/open.ts'
import { createFolderAside } from '../embedded/recovery.ts'
import { seenMigrations } from '../store/migrate.ts'
import { type ReadTwice, readTablesTwice } from '../store/read-twice.ts'
import { folderProblem } from './create-complete.ts'
import { BackupProblem, type Manifest } from './manifest.ts'
import { restoreBackup } from './restore.ts'

export type VerifyResult = { manifest: Manifest; tables: ReadTwice[] }

type VerifyTask = { from: string; user: string | null; progress(sentence: string): void }

/** Restores a backup into a temporary folder, starts it, and reads every table in two ways. Then removes the folder. */
export async function verifyBackup(task: VerifyTask): Promise<VerifyResult> {
  try {
    return await verifyIn(tmpdir(), task)
  } catch (error) {
    // The problem is about the temporary folder, so the remedy is another TMPDIR and not another data folder.
    const cause = error instanceof EmbeddedProblem ? (error.cause ?? error) : error
    const problem = folderProblem(cause, tmpdir(), 'set TMPDIR to another folder')
    throw problem === cause ? error : problem
  }
}

async function verifyIn(parent: string, { from, user, progress }: VerifyTask): Promise<VerifyResult> {
  const { folder, clear } = await createFolderAside(parent)
  try {
    const { manifest } = await restoreBackup({ from, folder, user, moment: 'copied', archive: null, progress })
    const { connection, close } = await openEmbedded({ folder, user, progress })
    try {
      progress('Reading every table twice …')
      const seen = await seenMigrations(connection)
      if (seen.join() !== manifest.migrations.join())
        throw new BackupProblem(
          `${from} holds other migrations than its manifest says (${seen.join(', ')}). Use another backup.`,
        )
      const tables = await readTablesTwice({ ...connection, ssl: false })
      const torn = tables.filter(({ same }) => !same).map(({ table }) => table)
      if (torn.length > 0)
        throw new BackupProblem(
          `${torn.join(', ')} in ${from} ${torn.length === 1 ? 'does' : 'do'} not hold the same rows by pages and by key. Use another backup.`,
        )
      return { manifest, tables }
    } finally {
      await close()
    }
  } finally {
    await clear()
  }
}
