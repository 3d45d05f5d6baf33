import { checkValue } from '#derive/check-value.ts'
import { type Problem, problem } from '#registry/definition.ts'
import type { Field } from '#registry/fields/index.ts'
import { permissions as allPermissions } from '#registry/permissions.ts'
import { invalidField, invalidFields, Refusal } from '#registry/refusals.ts'
import {
  type AccountRow,
  accountsOf,
  companyOfAccount,
  insertAccount,
  lockAccount,
  updateAccount,
} from '#sql/system/accounts.ts'
import { deleteSessionsOf } from '#sql/system/sessions.ts'
import type { Transaction } from '../store/database.ts'
import { violatedIndex } from '../store/faults.ts'
import { hashPassword, passwordProblems } from './password.ts'

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

const nameField: Field = { kind: 'text', max: 160, example: 'Ada Byron', about: 'Name.' }
const emailField: Field = { kind: 'email', about: 'E-mail address.' }

/** How a password becomes a hash: by itself, or where a crowd has to queue for it. */
type Hashing = (password: string) => Promise<string>

export async function createAccount(
  transaction: Transaction,
  companyId: number,
  input: NewAccount,
  hashing: Hashing = hashPassword,
): Promise<Account> {
  const name = checkValue(nameField, input.name, 'name')
  const email = checkValue(emailField, input.email, 'email')
  const problems = [
    ...name.problems,
    ...email.problems,
    ...permissionProblems(input.permissions),
    ...serviceProblems(input.service, input.password, 'password'),
    ...(await passwordProblems(input.password, input, 'password')),
  ]
  if (problems.length > 0) throw invalidFields(problems)
  const passwordHash = input.password === undefined ? null : await hashing(input.password)
  const account = {
    name: name.value as string,
    email: email.value as string,
    permissions: [...new Set(input.permissions)],
    service: input.service ?? false,
    passwordHash,
  }
  return byAddress(transaction.run<Account>(insertAccount(companyId, account)))
}

export type AccountChange = {
  name?: string
  email?: string
  permissions?: readonly string[]
  disabled?: boolean
  password?: string
}

type ChangeOptions = {
  hashing?: Hashing
  /** What the caller called the password. */
  passwordField?: string
}

/**
 * Changes what is given; seen by the very next request of the account's token. A new password or a disabled account
 * ends its sessions.
 */
export async function setAccount(
  transaction: Transaction,
  companyId: number,
  id: number,
  change: AccountChange,
  { hashing = hashPassword, passwordField = 'password' }: ChangeOptions = {},
): Promise<Account> {
  const before = await holdAccount(transaction, companyId, id)
  const name = checkValue(nameField, change.name ?? before.name, 'name')
  const email = checkValue(emailField, change.email ?? before.email, 'email')
  const problems = [
    ...name.problems,
    ...email.problems,
    ...permissionProblems(change.permissions ?? []),
    ...serviceProblems(before.service, change.password, passwordField),
    ...(await passwordProblems(change.password, { ...before, ...change }, passwordField)),
  ]
  if (problems.length > 0) throw invalidFields(problems)
  const passwordHash = change.password === undefined ? null : await hashing(change.password)
  const wanted = {
    ...before,
    name: name.value as string,
    email: email.value as string,
    permissions: [...new Set(change.permissions ?? before.permissions)],
    disabled: change.disabled ?? before.disabled,
  }
  const after = await byAddress(transaction.run<Account>(updateAccount(companyId, wanted, passwordHash)))
  if (after.disabled || passwordHash !== null) await transaction.run(deleteSessionsOf(companyId, id, null))
  return after
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

const serviceProblems = (service: boolean | undefined, password: string | undefined, field: string): Problem[] =>
  service && password !== undefined
    ? [problem(field, 'not_allowed', 'cannot be given to a service account: nobody signs in with it')]
    : []

function permissionProblems(wanted: readonly string[]): Problem[] {
  const strange = wanted.find((code) => !allPermissions.includes(code))
  if (strange === undefined) return []
  return [problem('permissions', 'not_allowed', `has ${JSON.stringify(strange)}, which is no permission`)]
}
