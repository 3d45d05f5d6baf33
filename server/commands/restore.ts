import { resolve } from 'node:path'
import type { Command } from 'commander'
import { restoreBackup } from '../backup/restore.ts'
import type { Moment } from '../embedded/recover.ts'
import { Mistake } from './mistake.ts'
import { needBundled } from './own-server.ts'
import { withProgress } from './progress.ts'
import type { Answer, CommandContext } from './terminal.ts'
import { configOf } from './with-app.ts'

/** restore. */
export function addRestore(program: Command, context: CommandContext): void {
  program
    .command('restore')
    .description('Brings a backup back into PLUMBLINE_DATA, which must be empty; the backup is checked first.')
    .argument('<from>', 'the backup: a folder or a .tar file')
    .option(
      '--to-time <time>',
      'a moment after it that PLUMBLINE_ARCHIVE covers, or latest for all there is',
      readMoment,
    )
    .addHelpText(
      'after',
      `
Examples:
  PLUMBLINE_DATA=./restored plumbline restore plumbline.tar
  PLUMBLINE_ARCHIVE=/mnt/archive plumbline restore /mnt/backups/plumbline-20270301T020000Z --to-time 2027-03-01T09:30:00Z`,
    )
    .action(async (from: string, { toTime }: { toTime?: Moment }) =>
      context.say(await restore(context, from, toTime ?? 'copied')),
    )
}

async function restore(context: CommandContext, from: string, moment: Moment): Promise<Answer> {
  const config = configOf(context)
  await needBundled(config, 'restore')
  const { dataFolder: folder, databaseUser: user, archive, secret } = config
  const { manifest, withKeys, lastChange } = await withProgress(context, ({ tell }) =>
    restoreBackup({ from, folder, user, moment, archive, progress: tell }),
  )
  const asOf = moment === 'copied' ? manifest.finished_at : moment === 'latest' ? moment : moment.text
  const key = withKeys
    ? 'The key that seals tokens came with it.'
    : `The key that seals tokens was not in it: bring it back ${secret === null ? `as ${resolve(folder)}/secret before the first start, or another one is drawn` : 'as PLUMBLINE_SECRET'}.`
  return {
    json: {
      data: resolve(folder),
      backup: resolve(from),
      as_of: asOf,
      last_change: lastChange ?? null,
      with_key: withKeys,
    },
    text: `Restored ${resolve(from)} into ${resolve(folder)}, ${asOf === 'latest' ? 'with all that was archived' : `as of ${asOf}`}.${lastChange ? ` The last change in it is of ${lastChange}.` : ''}\n${key}`,
  }
}

/** With a zone: the operator's is seldom the server's. */
function readMoment(word: string): Moment {
  if (word === 'latest') return word
  const hasForm = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(word)
  const at = new Date(hasForm ? word : Number.NaN)
  if (!Number.isNaN(at.getTime())) return { text: word.replace('T', ' ').replace('Z', '+00'), at }
  throw new Mistake(
    `--to-time must be a time with its zone, such as 2027-03-01T09:30:00Z, or latest, and not ${JSON.stringify(word)}.`,
  )
}
