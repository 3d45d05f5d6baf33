import { hash } from '@node-rs/argon2'
import { checkValue } from '#derive/input.ts'
import {
  type AccountRow,
  accountsOf,
  companyOfAccount,
  insertAccount,
  lockAccount,
  updateAccount,
} from '#derive/queries/office.ts'
import type { Problem } from '#registry/definition.ts'
import type { Field } from '#registry/kinds/index.ts'
import { permissions as allPermissions } from '#registry/permissions.ts'
import { invalidFields, Refusal } from '#registry/refusals.ts'
import type { Transaction } from '../store/database.ts'
import { violatedIndex } from '../store/faults.ts'

/** An account: somebody who may act for a company, within permissions. */
export type Account = AccountRow

export type NewAccount = { name: string; email: string; password?: string | undefined; permissions: readonly string[] }

const nameField: Field = { kind: 'text', max: 160, example: 'Ada Byron', about: 'Name.' }
const emailField: Field = { kind: 'email', about: 'E-mail address.' }

export async function createAccount(transaction: Transaction, companyId: number, input: NewAccount): Promise<Account> {
  const name = checkValue(nameField, input.name, 'name')
  const email = checkValue(emailField, input.email, 'email')
  const problems = [
    ...name.problems,
    ...email.problems,
    ...permissionProblems(input.permissions),
    ...passwordProblems(input.password),
  ]
  if (problems.length > 0) throw invalidFields(problems)
  const passwordHash = input.password === undefined ? null : await hashPassword(input.password)
  const account = {
    name: name.value as string,
    email: email.value as string,
    permissions: [...input.permissions],
    passwordHash,
  }
  try {
    const [row] = await transaction.run<Account>(insertAccount(companyId, account))
    return row as Account
  } catch (error) {
    if (violatedIndex(error) !== 'accounts_email') throw error
    throw invalidFields([{ field: 'email', code: 'not_unique', message: 'belongs to another account' }])
  }
}

export type AccountChange = { permissions?: readonly string[]; disabled?: boolean; password?: string }

/** Changes what is given; seen by the very next request of the account's token. */
export async function setAccount(
  transaction: Transaction,
  companyId: number,
  id: number,
  change: AccountChange,
): Promise<Account> {
  const problems = [...permissionProblems(change.permissions ?? []), ...passwordProblems(change.password)]
  if (problems.length > 0) throw invalidFields(problems)
  const [before] = await transaction.run<Account>(lockAccount(companyId, id))
  if (!before) throw noAccount(id)
  const passwordHash = change.password === undefined ? null : await hashPassword(change.password)
  const wanted = {
    ...before,
    permissions: change.permissions ? [...change.permissions] : before.permissions,
    disabled: change.disabled ?? before.disabled,
  }
  const [after] = await transaction.run<Account>(updateAccount(companyId, wanted, passwordHash))
  return after as Account
}

export const listAccounts = (transaction: Transaction, companyId: number): Promise<Account[]> =>
  transaction.run<Account>(accountsOf(companyId))

/** The company of an account: the operator names the account alone. */
export async function companyOf(transaction: Transaction, id: number): Promise<number> {
  const [row] = await transaction.run<{ company_id: number }>(companyOfAccount(id))
  if (!row) throw new Refusal('not_found', { detail: `There is no account ${id}.` })
  return row.company_id
}

const noAccount = (id: number): Refusal => new Refusal('not_found', { detail: `The company has no account ${id}.` })

/** argon2id, the library's default, with OWASP's recommendation: 19 MiB, two passes. */
const hashPassword = (password: string): Promise<string> =>
  hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })

function permissionProblems(wanted: readonly string[]): Problem[] {
  const strange = wanted.find((code) => !allPermissions.includes(code))
  if (strange === undefined) return []
  return [
    { field: 'permissions', code: 'not_allowed', message: `has ${JSON.stringify(strange)}, which is no permission` },
  ]
}

const passwordLengthMin = 10
const passwordLengthMax = 200

function passwordProblems(password: string | undefined): Problem[] {
  if (password === undefined || (password.length >= passwordLengthMin && password.length <= passwordLengthMax))
    return []
  const message = `must have ${passwordLengthMin} to ${passwordLengthMax} characters`
  return [{ field: 'password', code: password.length < passwordLengthMin ? 'too_short' : 'too_long', message }]
}
