import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { runUntilSignal } from '../lifecycle.ts'
import { type Change, readChanges } from '../service/changes.ts'
import type { CommandContext } from './terminal.ts'
import { withCompany } from './with-app.ts'
import { addingTo } from './words.ts'

type ChangesOptions = { company: number; after?: string; follow?: true }

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
  { company: companyId, after, follow }: ChangesOptions,
  stopped: AbortSignal,
) =>
  withCompany(context, companyId, async ({ config, database }) => {
    for (let cursor = after ?? null; !stopped.aborted; ) {
      const asked = { companyId, limit: pageSize, keptDays: config.changesKeptDays }
      const { changes, next, more } = await readChanges(database, { ...asked, after: cursor })
      for (const change of changes) context.say({ json: { change, next }, text: formatChange(change) })
      cursor = next
      if (!more && !follow) return
      if (!more) await pause(pollMilliseconds, undefined, { signal: stopped }).catch(() => undefined)
    }
    context.end('stopped')
  })

const formatChange = ({ at, event, record_id, version, changes, by }: Change): string =>
  [at, event, record_id, `version ${version ?? '?'}`, `by ${by.channel}`, ...Object.keys(changes ?? {})].join('  ')
