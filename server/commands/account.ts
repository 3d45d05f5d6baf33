import type { Command } from 'commander'
import { inLine } from '#derive/format-printable.ts'
import { passwordLengthMax, passwordLengthMin } from '#registry/limits.ts'
import { permissions as allPermissions } from '#registry/permissions.ts'
import { type Account, companyOf, createAccount, listAccounts, setAccount } from '../service/account.ts'
import { Mistake } from './mistake.ts'
import { readSecretWord } from './stdin.ts'
import { type CommandContext, type CommandResult, formatTable } from './terminal.ts'
import { configOf, formatCompanyName, inTransaction, needDatabase, sayOf } from './with-app.ts'
import { addingTo, readId, readList } from './words.ts'

type CreateOptions = {
  company: number
  name: string
  email: string
  password?: string
  service?: true
  permissions?: string[]
}
type SetOptions = { permissions?: string[]; disable?: true; enable?: true; password?: string }

const passwordAbout = `the password, ${passwordLengthMin} to ${passwordLengthMax} characters that are not easily guessed; - reads it from the standard input`
const permissionsAbout = 'what it may do: permissions separated by commas, or all, or none'
const readPermissions = readList('--permissions', allPermissions)

const permissionsHelp = `
Permissions are a kind of record and VIEW, EDIT or DELETE: PROJECTS_VIEW, TIME_ENTRIES_EDIT. PAY_VIEW, MONEY_VIEW and
TAX_VIEW open the fields of records that are about pay, amounts, and tax and policy numbers. TIME_ENTRIES_APPROVE
approves hours and takes an approval back. Besides there are API_MANAGE, ACCOUNTS_MANAGE,
COMPANY_MANAGE and AUDIT_VIEW.`

export function addAccount(program: Command, context: CommandContext): void {
  const account = program.command('account').description('Create, list and change accounts.')
  const add = addingTo(account)

  add(
    'create',
    'Create an account of a company, and print its id. Without a password nobody can sign in with it.',
    [
      '--company {company} --name "Grace Okafor" --email grace@example.com',
      '--company {company} --name "Payroll sync" --email it@example.com --service --permissions WORKERS_VIEW',
    ],
    permissionsHelp,
  )
    .requiredOption('--name <name>', 'the name of the person')
    .requiredOption(
      '--email <address>',
      'the e-mail address to sign in with; only one account of a company can have it',
    )
    .option('--password <password>', passwordAbout)
    .option('--service', 'for a program: nobody can sign in with it, and the address is that of the responsible person')
    .option('--permissions <list>', `${permissionsAbout} (default: all)`, readPermissions)
    .action(async ({ company: companyId, ...options }: CreateOptions) => {
      if (options.service && options.password !== undefined) {
        throw new Mistake('Give --service or --password, not both: nobody signs in with a service account.')
      }
      const password = await readSecretWord(context, options.password)
      const input = { ...options, permissions: options.permissions ?? allPermissions, password }
      await sayOf(context, { company: companyId }, async ({ transaction, company }) =>
        formatCreated(
          await createAccount(transaction, companyId, input, configOf(context)),
          formatCompanyName(company),
        ),
      )
    })

  add('list', 'List the accounts of a company by their ids, without secrets.').action((given: { company: number }) =>
    sayOf(context, given, async ({ transaction, company }) =>
      formatAccounts(await listAccounts(transaction, company.id), formatCompanyName(company), context),
    ),
  )

  account
    .command('set')
    .description('Change the given values of an account, and keep the others. Its token follows at the next request.')
    .argument('<id>', 'the id of the account', readId('The id'))
    .option('--permissions <list>', permissionsAbout, readPermissions)
    .option('--disable', 'disable it: nobody can sign in with it, and its token is refused')
    .option('--enable', 'enable it again')
    .option('--password <password>', passwordAbout)
    .addHelpText('after', permissionsHelp)
    .addHelpText(
      'after',
      '\nExamples:\n  plumbline account set {account} --permissions PROJECTS_VIEW,PROJECTS_EDIT\n  plumbline account set {account} --disable',
    )
    .action(async (id: number, options: SetOptions) => {
      if (options.disable && options.enable) throw new Mistake('Give --disable or --enable, not both.')
      await needDatabase(configOf(context))
      const password = await readSecretWord(context, options.password)
      const change = {
        ...(options.permissions ? { permissions: options.permissions } : {}),
        ...(options.disable || options.enable ? { disabled: options.disable === true } : {}),
        ...(password === undefined ? {} : { password }),
      }
      context.say(
        await inTransaction(
          context,
          async (transaction) =>
            formatChanged(
              await setAccount(transaction, await companyOf(transaction, id), id, change, configOf(context)),
            ),
          { isPersistent: true },
        ),
      )
    })
}

const formatCreated = (account: Account, company: string): CommandResult => ({
  json: { account_id: account.id },
  value: account.id,
  text: `Created account ${account.id} of ${company}: ${formatAccount(account)}.`,
})

/** Returns the members of an account as commands print them. */
export const accountJson = ({ id, ...rest }: Account) => ({ account_id: id, ...rest })

const formatAccounts = (accounts: readonly Account[], company: string, context: CommandContext): CommandResult => ({
  json: { accounts: accounts.map(accountJson) },
  text:
    accounts.length === 0
      ? `${company} has no accounts; "plumbline account create" makes one.`
      : formatTable(
          ['account', 'permissions', 'state', 'e-mail', 'name'],
          accounts.map(({ id, permissions, disabled, service, email, name }) => [
            id,
            permissions.length,
            disabled ? 'disabled' : service ? 'service' : 'active',
            inLine(email),
            name,
          ]),
          context,
        ),
})

const formatChanged = ({ id, ...account }: Account): CommandResult => ({
  json: accountJson({ id, ...account }),
  text: `Account ${id} is ${formatAccount(account)}.`,
})

const formatAccount = ({ name, email, permissions, disabled, service }: Omit<Account, 'id'>): string =>
  `${inLine(name)} <${inLine(email)}>, ${service ? 'a service account, ' : ''}with ${permissions.length} permissions${disabled ? ', disabled' : ''}`
