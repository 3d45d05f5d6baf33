import { dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { formatCount } from '#derive/words.ts'
import { restoreBackup } from '../backup/restore.ts'
import { formatNoSuchFile } from '../embedded/problems.ts'
import type { Moment } from '../embedded/recovery.ts'
import { type ErasedPerson, erasedPersonsName, keyOf, readErased } from './erased-persons.ts'
import { Mistake } from './mistake.ts'
import { needBundled } from './own-server.ts'
import { withProgress } from './progress.ts'
import type { CommandContext, CommandResult } from './terminal.ts'
import { configOf } from './with-app.ts'

export function addRestore(program: Command, context: CommandContext): void {
  program
    .command('restore')
    .description('Restore a backup into PLUMBLINE_DATA, which must be empty. The backup is checked first.')
    .argument('<from>', 'the backup: a folder or a .tar file')
    .option(
      '--to-time <time>',
      'a moment after the backup that PLUMBLINE_ARCHIVE covers, or latest for its end (default: the end of the backup)',
      readMoment,
    )
    .option(
      '--erased <file>',
      'an erased-persons.jsonl of the former data folder, to count the persons erased since; may be given several times',
      (file: string, files: string[] = []) => [...files, file],
    )
    .addHelpText(
      'after',
      `
Examples:
  PLUMBLINE_DATA=./restored plumbline restore plumbline.tar
  PLUMBLINE_ARCHIVE=/mnt/archive plumbline restore /mnt/backups/plumbline-20270301T020000Z --to-time 2027-03-01T09:30:00Z`,
    )
    .action(async (from: string, { toTime, erased = [] }: { toTime?: Moment; erased?: string[] }) =>
      context.say(await restore(context, from, toTime ?? 'copied', erased)),
    )
}

async function restore(context: CommandContext, from: string, moment: Moment, files: string[]): Promise<CommandResult> {
  const config = configOf(context)
  await needBundled(config, 'restore')
  const erased = await readErasedFiles(from, files)
  const { dataFolder: folder, databaseUser: user, archive, secret } = config
  const { manifest, withKeys, lastChange } = await withProgress(context, ({ tell }) =>
    restoreBackup({ from, folder, user, moment, archive, progress: tell }),
  )
  const asOf = moment === 'copied' ? manifest.finished_at : moment === 'latest' ? moment : moment.text
  const key = withKeys
    ? 'The key that seals tokens came with it.'
    : `The key that seals tokens was not in it: bring it back ${secret === null ? `as ${resolve(folder)}/secret before the first start, or another one is drawn` : 'as PLUMBLINE_SECRET'}.`
  const since = lastChange ?? manifest.finished_at
  const again = erasedSince(erased, moment === 'copied' || moment === 'latest' ? new Date(since) : moment.at, folder)
  return {
    json: {
      data: resolve(folder),
      backup: resolve(from),
      as_of: asOf,
      last_change: lastChange ?? null,
      with_key: withKeys,
      erased_since: again.count,
    },
    text: `Restored ${resolve(from)} into ${resolve(folder)}, ${asOf === 'latest' ? 'with all that was archived' : `as of ${asOf}`}.${lastChange ? ` The last change in it is of ${lastChange}.` : ''}\n${key}\n${again.says}`,
  }
}

/** Reads the named files of erased persons, and the one beside the backup. */
async function readErasedFiles(from: string, files: readonly string[]): Promise<Map<string, ErasedPerson[]>> {
  const beside = join(dirname(resolve(from)), erasedPersonsName)
  const all = new Map<string, ErasedPerson[]>()
  for (const file of [...new Set([beside, ...files.map((each) => resolve(each))])]) {
    const read = await readErased(file)
    if (read) all.set(file, read.persons)
    else if (file !== beside) throw new Mistake(formatNoSuchFile(file), 'file_not_found')
  }
  return all
}

/** Counts the persons erased after a moment, who are in the restored database again. */
function erasedSince(files: ReadonlyMap<string, ErasedPerson[]>, moment: Date, folder: string) {
  const names = [...files.keys()].filter((file) => files.get(file)?.some(({ at }) => new Date(at) > moment))
  const persons = new Set([...files.values()].flat().flatMap((each) => (new Date(each.at) > moment ? keyOf(each) : [])))
  const give = (options: string): string => `PLUMBLINE_DATA=${resolve(folder)} plumbline person erase ${options}`
  if (persons.size > 0)
    return {
      count: persons.size,
      says: `${formatCount(persons.size, 'person')} erased after that moment may be in it again: before you start the service, run "${give(names.map((name) => `--from ${name}`).join(' '))}".`,
    }
  return {
    count: 0,
    says: `Persons erased after that moment are in it again. If the former data folder has an ${erasedPersonsName}, run "${give('--from <file>')}".`,
  }
}

/** Parses a moment. It needs a time zone, because the operator's is seldom the server's. */
function readMoment(word: string): Moment {
  if (word === 'latest') return word
  const hasForm = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(word)
  const at = new Date(hasForm ? word : Number.NaN)
  if (!Number.isNaN(at.getTime())) return { text: word.replace('T', ' ').replace('Z', '+00'), at }
  throw new Mistake(
    `--to-time must be a time with its zone, such as 2027-03-01T09:30:00Z, or latest, and not ${JSON.stringify(word)}.`,
  )
}
