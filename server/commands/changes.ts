import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { runUntilSignal } from '../lifecycle.ts'
import { type Change, type ReadChanges, readChanges } from '../service/changes.ts'
import type { Database } from '../store/database.ts'
import type { CommandContext } from './terminal.ts'
import { withCompany } from './with-app.ts'
import { addingTo } from './words.ts'

type ChangesOptions = { company: number; after?: string | null; follow?: true }

const pageSize = 100
const pollMilliseconds = 500

export function addChanges(program: Command, context: CommandContext): void {
  addingTo(program)(
    'changes',
    'Print the changes of a company in the order of their commits, one per line, as /v1/changes has them.',
    ['--company {company} --follow --after now', '--company {company} --json'],
    '\nWith --json, each line is the complete change and the cursor after its page.',
  )
    .option('--after <cursor>', 'a cursor, or now (default: before the oldest stored change)')
    .option('--follow', 'wait for further changes until Ctrl-C')
    .action((given: ChangesOptions) => runUntilSignal((stopped) => printChanges(context, given, stopped)))
}

const printChanges = (
  context: CommandContext,
  { company: companyId, after = null, follow }: ChangesOptions,
  stopped: AbortSignal,
) =>
  withCompany(context, companyId, async ({ config, database }) => {
    const asked = { companyId, after, limit: pageSize, keptDays: config.changesKeptDays }
    for await (const { changes, next, more } of followChanges(database, asked, stopped)) {
      for (const change of changes) context.say({ json: { change, next }, text: formatChange(change) })
      if (!more && !follow) return
    }
    context.end('stopped')
  })

/** Reads page after page of changes until it is stopped. Pauses while there are no more. */
export async function* followChanges(database: Database, asked: ReadChanges, stopped: AbortSignal) {
  for (let { after } = asked; !stopped.aborted; ) {
    const page = await readChanges(database, { ...asked, after })
    yield page
    after = page.next
    if (!page.more) await pause(pollMilliseconds, undefined, { signal: stopped }).catch(() => undefined)
  }
}

const formatChange = ({ at, event, record_id, version, changes, by }: Change): string =>
  [at, event, record_id, `version ${version ?? '?'}`, `by ${by.channel}`, ...Object.keys(changes ?? {})].join('  ')
