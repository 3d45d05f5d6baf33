import { checkValue } from '#derive/check-value.ts'
import { type Problem, problem } from '#registry/definition.ts'
import { permissions as allPermissions } from '#registry/permissions.ts'
import { accounts } from '#registry/persons.ts'
import { invalidField, invalidFields, Refusal } from '#registry/refusals.ts'
import {
  type AccountRow,
  accountsOf,
  companyOfAccount,
  insertAccount,
  lockAccount,
  updateAccount,
} from '#sql/system/accounts.ts'
import { type CompanyRow, findCompany } from '#sql/system/companies.ts'
import { closeGate } from '#sql/system/locks.ts'
import { type Actor, operator } from '../records/actor.ts'
import type { Transaction } from '../store/database.ts'
import { violatedIndex } from '../store/faults.ts'
import { auditAccount } from './audit-log.ts'
import { hashPassword, passwordProblems } from './password.ts'
import { endSessionsOf } from './session.ts'
import { disableUnanswered } from './webhooks.ts'

/** An account: somebody who may act for a company, within permissions. */
export type Account = AccountRow

export type NewAccount = {
  name: string
  email: string
  password?: string | undefined
  permissions: readonly string[]
  /** For a program: it has no password, now and later. */
  service?: boolean
}

/** How a password becomes a hash: by itself, or where a crowd has to queue for it. */
type HashPassword = (password: string) => Promise<string>

export async function createAccount(
  transaction: Transaction,
  companyId: number,
  input: NewAccount,
  options: AccountOptions = {},
): Promise<Account> {
  const { permissions, service = false } = input
  const password = await newPassword(transaction, companyId, input.password, options)
  const checked = await checkedAccount({ ...input, service }, password, permissions)
  const account = await byAddress(transaction.run<Account>(insertAccount(companyId, { ...checked, service })))
  await auditAccount(transaction, options.actor ?? operator(companyId), null, account, false)
  return account
}

export type AccountChange = {
  name?: string
  email?: string
  permissions?: readonly string[]
  disabled?: boolean
  password?: string
}

type AccountOptions = PasswordOptions & {
  /** Who does it; undefined: the operator. */
  actor?: Actor
}

type PasswordOptions = {
  hashing?: HashPassword
  /** What the caller called the password. */
  passwordField?: string
  /** Where the service is reached; a password is not made of its name. */
  publicUrl?: string | null
}

/** A password that somebody wants, and what it is judged by. */
type NewPassword = { text: string; field: string; company: string; host: string | undefined; hashing: HashPassword }

async function newPassword(
  transaction: Transaction,
  companyId: number,
  text: string | undefined,
  { hashing = hashPassword, passwordField = 'password', publicUrl = null }: PasswordOptions,
): Promise<NewPassword | undefined> {
  if (text === undefined) return undefined
  const [company] = await transaction.run<CompanyRow>(findCompany(companyId))
  const host = publicUrl === null ? undefined : new URL(publicUrl).hostname
  return { text, field: passwordField, company: company?.name ?? '', host, hashing }
}

/**
 * Changes what is given; seen by the very next request of the account's token. A new password or a disabled account
 * ends its sessions. Webhooks that the account answers for are switched off where it may not see all that they tell.
 */
export async function setAccount(
  transaction: Transaction,
  companyId: number,
  id: number,
  change: AccountChange,
  options: AccountOptions = {},
): Promise<Account> {
  await transaction.run(closeGate(companyId))
  const before = await holdAccount(transaction, companyId, id)
  const { name = before.name, email = before.email, permissions = before.permissions } = change
  const given = { name, email, permissions: [...permissions], service: before.service }
  const password = await newPassword(transaction, companyId, change.password, options)
  const checked = await checkedAccount(given, password, change.permissions ?? [])
  const wanted = { ...before, ...checked, disabled: change.disabled ?? before.disabled }
  const after = await byAddress(transaction.run<Account>(updateAccount(companyId, wanted, checked.passwordHash)))
  const { actor = operator(companyId) } = options
  await auditAccount(transaction, actor, before, after, checked.passwordHash !== null)
  if (after.disabled || checked.passwordHash !== null) await endSessionsOf(transaction, actor, id)
  await disableUnanswered(transaction, companyId, after)
  return after
}

/** What is kept of an account, or everything that is wrong with it; `granted` are the permissions that are given to it now. */
async function checkedAccount(
  wanted: Omit<NewAccount, 'password'>,
  password: NewPassword | undefined,
  granted: readonly string[],
) {
  const name = checkValue(accounts.fields.name, wanted.name, 'name')
  const email = checkValue(accounts.fields.email, wanted.email, 'email')
  const problems = [
    ...name.problems,
    ...email.problems,
    ...permissionProblems(granted),
    ...(password ? serviceProblems(wanted.service, password.field) : []),
    ...(password ? await passwordProblems(password.text, { ...wanted, ...password }, password.field) : []),
  ]
  if (problems.length > 0) throw invalidFields(problems)
  return {
    name: name.value as string,
    email: email.value as string,
    permissions: [...new Set(wanted.permissions)],
    passwordHash: password ? await password.hashing(password.text) : null,
  }
}

/** The account that was written; an e-mail address belongs to one account of a company. */
async function byAddress(rows: Promise<Account[]>): Promise<Account> {
  try {
    const [row] = await rows
    return row as Account
  } catch (error) {
    if (violatedIndex(error) !== 'accounts_email') throw error
    throw invalidField('email', 'not_unique', 'belongs to another account of the company')
  }
}

/** An account of the company, held until the transaction ends. */
export async function holdAccount(transaction: Transaction, companyId: number, id: number): Promise<Account> {
  const [account] = await transaction.run<Account>(lockAccount(companyId, id))
  if (!account) throw noAccount(id)
  return account
}

export const listAccounts = (transaction: Transaction, companyId: number): Promise<Account[]> =>
  transaction.run<Account>(accountsOf(companyId))

/** The company of an account: the operator names the account alone. */
export async function companyOf(transaction: Transaction, id: number): Promise<number> {
  const [row] = await transaction.run<{ company_id: number }>(companyOfAccount(id))
  if (!row) throw new Refusal('not_found', { detail: `There is no account ${id}.` })
  return row.company_id
}

export const noAccount = (id: number): Refusal =>
  new Refusal('not_found', { detail: `The company has no account ${id}.` })

const serviceProblems = (service: boolean | undefined, field: string): Problem[] =>
  service ? [problem(field, 'not_allowed', 'cannot be given to a service account: nobody signs in with it')] : []

function permissionProblems(wanted: readonly string[]): Problem[] {
  const strange = wanted.find((code) => !allPermissions.includes(code))
  if (strange === undefined) return []
  return [problem('permissions', 'not_allowed', `has ${JSON.stringify(strange)}, which is no permission`)]
}
