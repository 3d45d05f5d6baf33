import type { Command } from 'commander'
import { inLine } from '#derive/format-printable.ts'
import { capital } from '#derive/words.ts'
import { addOns, planNames } from '#registry/subscription.ts'
import { type CompanyRow, listCompaniesById } from '#sql/system/companies.ts'
import { type Account, listAccounts } from '../service/account.ts'
import { type Company, type CompanyInput, createCompany, setCompany } from '../service/company.ts'
import { presentToken, type Token } from '../service/token.ts'
import { accountJson } from './account.ts'
import { type CommandContext, type CommandResult, formatTable } from './terminal.ts'
import { formatCompanyName, inTransaction, sayOf, withExisting } from './with-app.ts'
import { readId, readList } from './words.ts'

type Options = { name?: string; plan?: string; addOns?: string[]; currency?: string; timeZone?: string }

const planAbout = `the plan: ${planNames.join(', ')}`
const addOnsAbout = `the add-ons, separated by commas (${addOns.join(', ')}), or all, or none`
const currencyAbout = 'the currency of all its amounts, a code of ISO 4217'
const timeZoneAbout = 'the time zone of its days, a name of the IANA database such as Europe/Berlin'
const readAddOns = readList('--add-ons', addOns)

export function addCompany(program: Command, context: CommandContext): void {
  const company = program.command('company').description('Create, change, list and show companies.')

  company
    .command('create')
    .description('Create a company, and print its id.')
    .requiredOption('--name <name>', 'the name of the company')
    .option('--plan <plan>', `${planAbout} (default: STARTER)`)
    .option('--add-ons <list>', `${addOnsAbout} (default: api)`, readAddOns)
    .option('--currency <code>', `${currencyAbout} (default: USD)`)
    .option('--time-zone <name>', `${timeZoneAbout} (default: UTC)`)
    .addHelpText(
      'after',
      '\nExample:\n  plumbline company create --name "Quay Builders" --plan PRO --add-ons api,estimates',
    )
    .action(async (options: Options) =>
      context.say(
        formatCreated(await inTransaction(context, (transaction) => createCompany(transaction, inputOf(options)))),
      ),
    )

  company
    .command('set')
    .description('Change the given values of a company, and keep the others. A smaller plan removes no records.')
    .argument('<id>', 'the id of the company', readId('The id'))
    .option('--name <name>', 'another name')
    .option('--plan <plan>', planAbout)
    .option('--add-ons <list>', addOnsAbout, readAddOns)
    .option('--currency <code>', currencyAbout)
    .option('--time-zone <name>', timeZoneAbout)
    .addHelpText('after', '\nExample:\n  plumbline company set {company} --plan ENTERPRISE --add-ons all')
    .action((id: number, options: Options) =>
      sayOf(context, { company: id, isRevocation: true }, async ({ transaction }) =>
        formatChanged(await setCompany(transaction, id, inputOf(options))),
      ),
    )

  company
    .command('list')
    .description('List the companies by their ids, the demo companies too.')
    .addHelpText('after', '\nExamples:\n  plumbline company list\n  plumbline company list --json')
    .action(async () =>
      context.say(
        formatCompanies(
          await withExisting(context, ({ app }) => app.database.read<CompanyRow>(listCompaniesById())),
          context,
        ),
      ),
    )

  company
    .command('show')
    .description('Show a company: its plan with the used share, add-ons, accounts and token (without its text).')
    .argument('<id>', 'the id of the company', readId('The id'))
    .addHelpText('after', '\nExample:\n  plumbline company show {company}')
    .action((id: number) =>
      sayOf(context, { company: id }, async ({ transaction, company }) =>
        formatCompany(company, await listAccounts(transaction, id), await presentToken(transaction, id)),
      ),
    )
}

/** Returns the given values as a change of a company. */
function inputOf({ plan, addOns, timeZone, name, currency }: Options): CompanyInput {
  const fields = { name, currency, time_zone: timeZone }
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { fields: Object.fromEntries(given), ...(plan !== undefined && { plan }), ...(addOns && { addOns }) }
}

const formatCreated = (company: CompanyRow): CommandResult => ({
  json: { company_id: company.id },
  value: company.id,
  text: `Created ${formatCompanyName(company)}: plan ${company.plan}, ${addOnsOf(company)}, ${company.currency}.`,
})

const formatCompanies = (companies: readonly CompanyRow[], context: CommandContext): CommandResult => ({
  json: {
    companies: companies.map(jsonOf).map(({ add_ons: _, ...listed }) => listed),
  },
  text:
    companies.length === 0
      ? 'There is no company; "plumbline company create" makes one.'
      : formatTable(
          ['company', 'plan', 'currency', 'demo', 'name'],
          companies.map(({ id, plan, currency, is_demo, name }) => [id, plan, currency, is_demo ? 'yes' : 'no', name]),
          context,
        ),
})

const formatChanged = (company: CompanyRow): CommandResult => ({
  json: jsonOf(company),
  text: `${formatCompanyName(company)} has plan ${company.plan}, ${addOnsOf(company)}, ${company.currency}, the time zone ${company.time_zone}.`,
})

function formatCompany(company: Company, accounts: Account[], token: Token | undefined): CommandResult {
  const rows: [string, string][] = [
    ['Plan', company.plan],
    ['Add-ons', company.add_ons.join(', ') || 'none'],
    ['Currency', company.currency],
    ['Time zone', company.time_zone],
    ...company.usage.map(({ records, used, limit }): [string, string] => [
      capital(records),
      `${used} of ${limit ?? 'any number'}`,
    ]),
    ...accounts.map((account, index): [string, string] => [index === 0 ? 'Accounts' : '', accountLine(account)]),
    ['Token', token ? tokenLine(token) : 'none'],
  ]
  return {
    json: {
      ...jsonOf(company),
      usage: Object.fromEntries(company.usage.map(({ records, used, limit }) => [records, { used, limit }])),
      accounts: accounts.map(accountJson),
      token: token ? tokenJson(token) : null,
    },
    text: [formatCompanyName(company), ...rows.map(([name, value]) => `  ${name.padEnd(10)}${value}`)].join('\n'),
  }
}

const jsonOf = ({ id, name, plan, add_ons, currency, time_zone, is_demo }: CompanyRow) => ({
  company_id: id,
  ...{ name, plan, add_ons, currency, time_zone, is_demo },
})

const tokenJson = ({ account_id, issued_by, label, scopes, allowlist, created_at, expires_at }: Token) => ({
  ...{ account_id, issued_by, label, scopes, allowlist },
  created_at: created_at.toISOString(),
  expires_at: expires_at?.toISOString() ?? null,
})

const accountLine = ({ id, name, email, permissions, disabled, service }: Account): string =>
  `${id}  ${inLine(name)} <${inLine(email)}>, ${service ? 'service, ' : ''}${permissions.length} permissions${disabled ? ', disabled' : ''}`

const tokenLine = ({ label, account_id, scopes, allowlist, expires_at }: Token): string =>
  `"${inLine(label)}" of account ${account_id}, ${scopes.length} scopes, from ${allowlist.join(', ') || 'any address'}${expires_at ? `, until ${expires_at.toISOString()}` : ''}`

const addOnsOf = ({ add_ons }: CompanyRow): string =>
  add_ons.length === 0 ? 'no add-ons' : `add-on${add_ons.length === 1 ? '' : 's'} ${add_ons.join(', ')}`
