import { resolve } from 'node:path'
import type { Command } from 'commander'
import { systemClock } from '../app.ts'
import { openFailureNotes } from '../backup/failures.ts'
import { type BackupResult, runBackup } from '../backup/run-backup.ts'
import { type VerifyResult, verifyBackup } from '../backup/verify.ts'
import type { Config } from '../config/config.ts'
import { keyFiles } from '../secret.ts'
import { Mistake } from './mistake.ts'
import { needBundled } from './own-server.ts'
import { startShares, withProgress } from './progress.ts'
import type { CommandContext, CommandResult } from './terminal.ts'
import { configOf, needDatabase, withDatabase } from './with-app.ts'

export function addBackup(program: Command, context: CommandContext): void {
  const backup = program
    .command('backup')
    .description('Back up the bundled database while it is in use. A backup gets its name when it is complete.')
    .argument('[to]', 'a new folder or .tar file (default: a new folder in PLUMBLINE_BACKUP_TO)')
    .option('--with-key', 'include the key that seals tokens')
    .addHelpText(
      'after',
      `
In PLUMBLINE_BACKUP_TO it also removes all but the newest PLUMBLINE_BACKUP_KEEP, as "serve" does.

Examples:
  plumbline backup /mnt/backups/before-the-move
  plumbline backup plumbline.tar --with-key
  plumbline backup verify plumbline.tar`,
    )
    .action(async (to: string | undefined, { withKey }: { withKey?: true }) =>
      context.say(await backUp(context, to, withKey ?? false)),
    )

  backup
    .command('verify')
    .description(
      'Restore a backup into a temporary folder, start it, and read every table in two ways. Then remove the folder.',
    )
    .argument('<from>', 'the backup')
    .addHelpText(
      'after',
      '\nTMPDIR needs space for the whole database.\n\nExample:\n  plumbline backup verify plumbline.tar',
    )
    .action(async (from: string) => {
      const config = configOf(context)
      await needBundled(config, 'verify')
      const { databaseUser: user } = config
      const done = await withProgress(context, ({ tell }) => verifyBackup({ from, user, progress: tell }))
      context.say(formatVerified(from, done))
    })
}

async function backUp(context: CommandContext, to: string | undefined, withKey: boolean): Promise<CommandResult> {
  const config = configOf(context)
  await needBundled(config, 'backup')
  await needDatabase(config)
  if (to === undefined && config.backupTo === null)
    throw new Mistake('Name a folder or a .tar file for the backup, or set PLUMBLINE_BACKUP_TO.')
  if (withKey && config.secret !== null)
    throw new Mistake(
      'The key is in PLUMBLINE_SECRET and not in the data folder: leave --with-key out, and keep that key yourself.',
    )
  return withDatabase(context, async ({ connection }) => {
    const onProgress = startShares(context, 'Backing up')
    const keys = withKey ? await keyFiles(config) : []
    const notes = openFailureNotes(config.dataFolder)
    const how = { notes, left: new Set<string>(), keyFiles: keys, now: systemClock.now, onProgress }
    return formatBackup(await runBackup({ config, connection, to: to ?? null, ...how }), withKey, config)
  })
}

function formatBackup({ to, manifest, removed }: BackupResult, withKey: boolean, config: Config): CommandResult {
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
  const warning = `The key that seals tokens is not in it: keep ${config.secret === null ? `${resolve(config.dataFolder)}/secret` : 'PLUMBLINE_SECRET'} elsewhere; without it tokens go on working and can no longer be shown.`
  return {
    value: resolve(to),
    json: {
      backup: resolve(to),
      ...{ files: manifest.files.length, bytes, with_key: withKey },
      ...{ started_at: manifest.started_at, finished_at: manifest.finished_at, removed },
    },
    text: [
      `Backed up to ${resolve(to)}: ${manifest.files.length} files, ${(bytes / 1024 ** 2).toFixed(1)} MiB, as of ${manifest.finished_at}.`,
      withKey ? 'It holds the key that seals tokens: keep it as safe as that.' : warning,
      ...(removed.backups > 0 ? [`Removed ${removed.backups} older; ${config.backupKeep} are kept.`] : []),
    ].join('\n'),
  }
}

function formatVerified(from: string, { manifest, tables }: VerifyResult): CommandResult {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  return {
    json: { ok: true, backup: resolve(from), finished_at: manifest.finished_at, tables },
    text: `${resolve(from)} is whole: ${manifest.files.length} files have their checksums, it was restored aside and started, and ${rows} rows of ${tables.length} tables are the same by pages and by key. It is as of ${manifest.finished_at}.`,
  }
}
