import { openFailureNotes } from '../backup/failures.ts'
import { notStarted } from '../backup/schedule.ts'
import { backupsIn } from '../backup/stored-backups.ts'
import type { Config } from '../config/config.ts'
import { type ClusterFacts, clusterFacts, readNodes } from '../store/cluster-facts.ts'
import type { Connection } from '../store/database.ts'
import { type Check, failCheck, passCheck, warnCheck } from './check-folder.ts'
import { mistakeIn } from './mistake.ts'
import { judgeNodes, type NodesArchiving } from './own-server.ts'

/** Checks whether the data could be restored: the newest backup and the archive. */
export async function checkBackup(config: Config, connection: Connection, now: Date): Promise<Check[]> {
  const facts = await clusterFacts(connection)
  if (facts.distributed) return [checkNodes(judgeNodes(await readNodes(connection)))]
  if (config.databaseUrl !== null) return [checkOwnServer(facts)]
  return [await checkNewest(config, now), ...(config.archive === null ? [] : [checkArchive(facts)])]
}

/** Checks the backups of the service by their files alone. */
export async function checkNewest({ backupTo, backupEvery, dataFolder }: Config, now: Date): Promise<Check> {
  if (backupTo === null)
    return warnCheck('backup', 'the service makes none: set PLUMBLINE_BACKUP_TO, or give "plumbline backup" yourself.')
  const { backup: failure } = await openFailureNotes(dataFolder).read()
  const all = await backupsIn(backupTo).catch((error: unknown) => failCheck('backup', mistakeIn(error)))
  if (!Array.isArray(all)) return all
  const [newest] = all
  const says = newest
    ? `the newest is of ${newest.at.toISOString()}, ${ageOf(newest.at, now)} ago, in ${newest.path}`
    : `there is none in ${backupTo} yet`
  if (failure) return failCheck('backup', `${says}; the last one failed at ${failure.at}: ${failure.says}`)
  // Twice, because "serve" checks once a minute and a backup takes time.
  if (newest && now.getTime() - newest.at.getTime() > 2 * backupEvery)
    return failCheck(
      'backup',
      `${says}, though one is due after ${hours(backupEvery)}: see that "plumbline serve" runs.`,
    )
  return newest ? passCheck('backup', says) : warnCheck('backup', `${says}: "plumbline serve" makes the first one.`)
}

function checkArchive({ archives, failing, archivedAt, behindBytes }: ClusterFacts): Check {
  if (!archives) return failCheck('archive', `${notStarted}.`)
  if (failing)
    return failCheck(
      'archive',
      `${failing.segment} could not be archived at ${failing.at.toISOString()}; PostgreSQL’s log in the data folder says why. Nothing is lost while the disk of the data folder has room.`,
    )
  const last = archivedAt ? `last at ${archivedAt.toISOString()}` : 'nothing yet'
  return passCheck(
    'archive',
    behindBytes === null ? last : `${last}, ${(behindBytes / 1024 ** 2).toFixed(1)} MiB are not archived yet`,
  )
}

function checkOwnServer({ archives, failing, archivedAt }: ClusterFacts): Check {
  if (failing) return failCheck('archive', `the database cannot archive ${failing.segment}: look into its log.`)
  if (archives)
    return passCheck('archive', `the database archives its log, last at ${archivedAt?.toISOString() ?? 'no time'}`)
  return warnCheck(
    'archive',
    'the database archives nothing, so you can restore only the moments of its backups: set archive_mode and archive_command in it.',
  )
}

const checkNodes = ({ all, isFailing, says }: NodesArchiving): Check =>
  (all ? passCheck : isFailing ? failCheck : warnCheck)('archive', says)

const hours = (milliseconds: number): string => `${(milliseconds / 3_600_000).toFixed(1)} hours`
const ageOf = (at: Date, now: Date): string => hours(Math.max(0, now.getTime() - at.getTime()))
