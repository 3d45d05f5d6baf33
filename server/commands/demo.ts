import type { Command } from 'commander'
import { inLine } from '#derive/format-printable.ts'
import { formatCount } from '#derive/words.ts'
import { type DemoUse, lookAtDemo, removeDemo } from '../demo/remove.ts'
import { type DemoCompany, type DemoStory, seedDemo } from '../demo/seed.ts'
import { Mistake } from './mistake.ts'
import { addYes, type ConfirmOptions, confirm, needsConfirmation } from './stdin.ts'
import type { CommandContext, CommandResult } from './terminal.ts'
import { configOf, formatCompanyName, inTransaction, needDatabase, withApp } from './with-app.ts'

type RemoveOptions = ConfirmOptions & { withOwn?: true }

export function addDemo(program: Command, context: CommandContext): void {
  const demo = program
    .command('demo')
    .description(
      'Add the demo companies Harbor Masonry and Hilltop Roofing if they are missing. Enable their accounts if PLUMBLINE_DEMO=off disabled them. Print how to sign in.',
    )
    .addHelpText(
      'after',
      '\nTheir passwords and tokens are generated for each database. An account whose password you change is no longer part of the demo.\n\nExample:\n  plumbline demo',
    )
    .action(async () => context.say(demoAnswer(await withApp(context, ({ app }) => seedDemo(app)))))

  addYes(demo.command('remove'))
    .description('Remove the demo companies with all their records, accounts, tokens, calls and history.')
    .option('--with-own', 'remove companies to which you added accounts or records, too')
    .addHelpText(
      'after',
      '\nOther companies stay unchanged. The removal cannot be undone.\n\nExample:\n  plumbline demo remove',
    )
    .action(async (options: RemoveOptions) => context.say(await remove(context, options)))
}

async function remove(context: CommandContext, { withOwn, ...given }: RemoveOptions): Promise<CommandResult> {
  await needDatabase(configOf(context))
  const mayGo = (uses: readonly DemoUse[]): void => {
    const used = uses.filter(({ own_accounts, own_records }) => own_accounts + own_records > 0)
    if (used.length > 0 && !withOwn)
      throw new Mistake(`${used.map(ownIn).join(' ')} Give --with-own to remove these too.`, 'failed')
  }
  if (needsConfirmation(context, given)) {
    const uses = await inTransaction(context, lookAtDemo)
    mayGo(uses)
    const all = uses.map((use) => `${formatCompanyName(use)}, ${formatCount(use.records, 'record')}`).join('; ')
    if (uses.length > 0) await confirm(context, `This removes for good: ${all}.`)
  }
  return formatRemoved(await inTransaction(context, (transaction) => removeDemo(transaction, mayGo)))
}

const ownIn = (use: DemoUse): string =>
  `${formatCompanyName(use)} holds ${formatCount(use.own_accounts, 'account')} and ${formatCount(use.own_records, 'record')} that the demo did not make.`

const formatRemoved = (uses: readonly DemoUse[]): CommandResult => ({
  json: { removed: uses.map(({ id, name, records }) => ({ company_id: id, name, records })) },
  text:
    uses.length === 0
      ? 'There are no demo companies.'
      : uses.map((use) => `Removed ${formatCompanyName(use)} with ${formatCount(use.records, 'record')}.`).join('\n'),
})

const demoAnswer = ({ isNew, companies, notes }: DemoStory): CommandResult => ({
  json: { added: isNew, companies: companies.map(jsonOf), notes },
  text: [
    isNew ? 'The demo companies were added.' : 'The demo companies are there.',
    ...notes,
    ...companies.flatMap(linesOf),
  ].join('\n'),
})

const jsonOf = ({ id, name, accounts, token }: DemoCompany) => {
  const shown = accounts.map((account) => ({
    account_id: account.id,
    ...{ email: account.email, password: account.password },
  }))
  return { company_id: id, name, ...shown[0], token, accounts: shown }
}

const linesOf = (company: DemoCompany): string[] => [
  '',
  formatCompanyName(company),
  ...company.accounts.map(
    ({ email, password }) =>
      `  Sign-in  ${inLine(email)}, ${password === null ? 'whose password cannot be shown' : `password ${password}`}`,
  ),
  `  Token    ${company.token ?? 'none that can be shown; see "plumbline token --help"'}`,
]
