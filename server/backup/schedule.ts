import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { BackgroundRunner } from '../jobs/in-background.ts'
import { clusterFacts } from '../store/cluster-facts.ts'
import type { Connection } from '../store/database.ts'
import type { FailureNotes } from './failures.ts'
import { BackupProblem } from './manifest.ts'
import { runDueBackup } from './run-backup.ts'

type Task = {
  config: Config
  connection: Connection
  log: Logger
  clock: { now(): Date }
  notes: FailureNotes
  inBackground: BackgroundRunner
  /** Time between two checks of backups and archive, and so until a failed one is tried again. */
  everyMilliseconds?: number
}

/** Starts the backups of a running service and the checks of its archive. Logs, notes and retries what fails. */
export function startBackups(task: Task): { stop(): Promise<void> } {
  const { config, connection, log, clock, notes, inBackground, everyMilliseconds = 60_000 } = task
  const { backupTo, archive } = config
  if (backupTo === null && archive === null) return { stop: async () => undefined }
  let running: Promise<unknown> | undefined
  const stopped = new AbortController()
  const { signal } = stopped
  const left = new Set<string>()

  const backUp = async (): Promise<void> => {
    const wanted = { config, connection, notes, left, keyFiles: [], signal, now: clock.now, onProgress() {} }
    const made = await runDueBackup(wanted).catch((error: unknown) => {
      // The stop of the service ended the backup.
      if (!signal.aborted) throw error
    })
    if (made)
      log.info({ backup: made.to, files: made.manifest.files.length, removed: made.removed }, 'a backup was made')
  }
  const lookAtArchive = async (): Promise<void> => {
    const { archives, failing } = await clusterFacts(connection)
    const says = failing ? `${failing.segment} could not be archived in ${archive}` : archives ? null : notStarted
    await notes.note('archive', says ? { at: failing?.at ?? clock.now(), says } : null)
    if (says) throw new BackupProblem(`${says}.`)
  }
  const check = async (): Promise<void> => {
    if (backupTo !== null) await inBackground('backup', backUp)
    if (archive !== null) await inBackground('archive', lookAtArchive)
  }
  const begin = (): void => {
    running ??= check().finally(() => (running = undefined))
  }
  const timer = setInterval(begin, everyMilliseconds).unref()
  begin()
  return {
    stop: async () => {
      stopped.abort()
      clearInterval(timer)
      await running
    },
  }
}

export const notStarted =
  'PostgreSQL was started without PLUMBLINE_ARCHIVE and archives nothing: stop all that uses this data folder and start again'
