import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { clusterFacts } from '../store/cluster-facts.ts'
import type { Connection } from '../store/database.ts'
import { noteOutcome } from './failures.ts'
import { backupsIn, dueAt } from './kept.ts'
import { runBackup } from './run-backup.ts'

type Task = { config: Config; connection: Connection; log: Logger; clock: { now(): Date } }

/** How often it looks whether a backup is due and the archive well; what failed is tried again as soon. */
const lookMilliseconds = 60_000

/** Makes backups while the service runs and looks after the archive. Both fail loudly, and are tried again. */
export function startBackups({ config, connection, log, clock }: Task): { stop(): Promise<void> } {
  const { backupTo, backupEvery, archive } = config
  if (backupTo === null && archive === null) return { stop: async () => undefined }
  let running: Promise<void> | undefined
  const stopped = new AbortController()
  const { signal } = stopped

  const backUp = async (folder: string): Promise<void> => {
    const [newest] = await backupsIn(folder)
    if (clock.now() < dueAt(newest, backupEvery)) return
    const wanted = { config, connection, to: null, keyFiles: [], signal, now: clock.now, onProgress() {} }
    const { to, manifest, removed } = await runBackup(wanted)
    log.info({ backup: to, files: manifest.files.length, removed }, 'a backup was made')
  }
  const lookAtArchive = async (): Promise<void> => {
    const { archives, failing } = await clusterFacts(connection)
    const says = failing ? `${failing.segment} could not be archived` : archives ? null : notStarted
    if (says) log.error({ archive, since: failing?.at }, says)
    await noteOutcome(config.dataFolder, 'archive', says ? { at: failing?.at ?? clock.now(), says } : null)
  }
  const check = async (): Promise<void> => {
    if (backupTo !== null)
      await backUp(backupTo).catch((error) => signal.aborted || log.error({ error }, 'a backup could not be made'))
    if (archive !== null)
      await lookAtArchive().catch((error) => log.error({ error }, 'the archive could not be looked at'))
  }
  const begin = (): void => {
    running ??= check().finally(() => (running = undefined))
  }
  const timer = setInterval(begin, lookMilliseconds).unref()
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
