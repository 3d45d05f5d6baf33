import type { Command } from 'commander'
import { type UsageRow, usageOfCompanies } from '#sql/system/row-counts.ts'
import { type CommandContext, type CommandResult, formatTable } from './terminal.ts'
import { withExisting } from './with-app.ts'
import { readWhole } from './words.ts'

const daysMax = 400
const topMax = 1000

/** Adds usage, the only place where an operator sees the use of each company: metrics have no company label. */
export function addUsage(program: Command, context: CommandContext): void {
  program
    .command('usage')
    .description('List the companies with the most calls, and the numbers of their records.')
    .option('--days <count>', `days up to today, 1 to ${daysMax}`, readWhole('--days', 1, daysMax), 30)
    .option('--top <count>', `companies, 1 to ${topMax}`, readWhole('--top', 1, topMax), 50)
    .addHelpText('after', '\nExamples:\n  plumbline usage\n  plumbline usage --days 7 --top 10 --json')
    .action(async ({ days, top }: { days: number; top: number }) => {
      const rows = await withExisting(context, ({ app }) => app.database.read<UsageRow>(usageOfCompanies(days, top)))
      context.say(formatUsage(days, rows, context))
    })
}

const formatUsage = (days: number, rows: readonly UsageRow[], context: CommandContext): CommandResult => ({
  json: { days, companies: rows.map(({ id, ...rest }) => ({ company_id: id, ...rest })) },
  text:
    rows.length === 0
      ? 'There is no company.'
      : formatTable(
          ['company', 'plan', 'calls', 'counted', 'records', 'name'],
          rows.map(({ id, plan, calls, counted, records, name }) => [id, plan, calls, counted, records, name]),
          context,
        ),
})
