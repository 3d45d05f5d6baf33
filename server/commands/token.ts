import type { Command } from 'commander'
import { inLine } from '#derive/format-printable.ts'
import { scopes as allScopes } from '#registry/permissions.ts'
import {
  allowAddresses,
  findToken,
  issueToken,
  revokeToken,
  rotateToken,
  showToken,
  type Token,
} from '../service/token.ts'
import { addYes, type ConfirmOptions } from './stdin.ts'
import type { CommandContext, CommandResult } from './terminal.ts'
import { type CompanyContext, type CompanyRequest, formatCompanyName, sayOf } from './with-app.ts'
import { addingTo, readId, readList, readMoment } from './words.ts'

type Company = { company: number }
type IssueOptions = Company & {
  account: number
  scopes?: string[] | 'all'
  label: string
  allow?: string[]
  until?: Date
}

const addressesAbout = 'IPv4 addresses and ranges that may use it, separated by commas, or none for any address'
const readAllowed = readList('The list of addresses')
const readScopes = readList('--scopes', allScopes)

export function addToken(program: Command, context: CommandContext): void {
  const add = addingTo(
    program.command('token').description('Issue, show, rotate, revoke and restrict the API token of a company.'),
  )
  /** Prints the token that is active afterwards. */
  const tell = (asked: CompanyRequest, make: typeof showToken): Promise<void> =>
    sayOf(context, asked, async ({ transaction, actor, app, company }) =>
      formatToken(company, await make(transaction, actor, app.secret)),
    )
  /** Revokes access after a confirmation, which names the effect on the active token. */
  const ending = ({ company, ...yes }: Company & ConfirmOptions, formatEnd: (token: string) => string) => ({
    ...{ company, isRevocation: true },
    confirmation: {
      yes,
      what: async ({ transaction, company }: CompanyContext) => {
        const { label } = await findToken(transaction, company.id)
        return formatEnd(`the token "${inLine(label)}" of ${formatCompanyName(company)}`)
      },
    },
  })

  add(
    'issue',
    'Issue the token of a company that has none, and print it.',
    '--company {company} --account {account} --scopes PROJECTS_VIEW,CLIENTS_VIEW --label Reports --allow 203.0.113.0/24',
  )
    .requiredOption('--account <id>', 'the account that it acts for, which limits its rights', readId('--account'))
    .option(
      '--scopes <list>',
      'permissions on the six resources, separated by commas, or all that the account holds (default: all)',
      (word: string) => (word === 'all' ? 'all' : readScopes(word)),
    )
    .option('--label <text>', 'what it is for', 'API')
    .option('--allow <list>', `${addressesAbout} (default: none)`, readAllowed)
    .option(
      '--until <moment>',
      'the end of the token, as in 2027-03-31T12:00:00Z; "token rotate" gives the same length again (default: never)',
      readMoment('--until'),
    )
    .action(async ({ company, account, scopes = 'all', label, allow = [], until }: IssueOptions) => {
      const input = { accountId: account, scopes, label, allowlist: allow, expiresAt: until ?? null }
      await tell({ company, isRevocation: true }, (transaction, actor, keys) =>
        issueToken(transaction, actor, keys, input),
      )
    })

  add('show', 'Show the active token. The access is logged.').action((given: Company) => tell(given, showToken))

  addYes(
    add(
      'rotate',
      'Replace the token by a new one with the same scopes, label and addresses. The old one is refused at once.',
    ),
  ).action((given: Company & ConfirmOptions) =>
    tell(
      ending(
        given,
        (token) => `This replaces ${token}. Programs that use it are refused until they have the new token.`,
      ),
      rotateToken,
    ),
  )

  addYes(add('revoke', 'Revoke the token. The API is closed until another one is issued.')).action(
    (given: Company & ConfirmOptions) =>
      sayOf(
        context,
        ending(
          given,
          (token) => `This revokes ${token}. Programs that use it are refused until another token is issued.`,
        ),
        revokeActive,
      ),
  )

  add('allow', 'Set the addresses from which the token may be used.', '--company {company} 203.0.113.7,198.51.100.0/24')
    .argument('<list>', addressesAbout, readAllowed)
    .action((addresses: string[], { company }: Company) =>
      sayOf(context, { company, isRevocation: true }, async ({ transaction, actor }) =>
        formatAllowlist(await allowAddresses(transaction, actor, addresses)),
      ),
    )
}

const formatToken = (
  company: CompanyContext['company'],
  { token, row }: { token: string; row: Token },
): CommandResult => ({
  json: { token, expires_at: row.expires_at?.toISOString() ?? null },
  value: token,
  text: `The token of ${formatCompanyName(company)}, "${inLine(row.label)}", with ${row.scopes.length} scopes of account ${row.account_id}${row.expires_at ? `, until ${row.expires_at.toISOString()}` : ''}:\n\n  ${token}`,
})

async function revokeActive({ transaction, actor, company }: CompanyContext): Promise<CommandResult> {
  const { label } = await revokeToken(transaction, actor)
  return {
    json: { company_id: company.id, revoked: true },
    text: `The token of ${formatCompanyName(company)}, "${inLine(label)}", is revoked; the API is closed until another one is issued.`,
  }
}

const formatAllowlist = ({ allowlist }: Token): CommandResult => ({
  json: { allowlist },
  text:
    allowlist.length === 0
      ? 'The token may be used from any address.'
      : `The token may be used from ${allowlist.join(', ')} alone.`,
})
