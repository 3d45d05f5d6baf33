import { checkValue } from '#derive/check-value.ts'
import { type Problem, problem } from '#registry/definition.ts'
import { invisibleIn } from '#registry/invisible.ts'
import { permissions as allPermissions } from '#registry/permissions.ts'
import { accounts } from '#registry/persons.ts'
import { invalidField, invalidFields, Refusal } from '#registry/refusals.ts'
import {
  type AccountRow,
  accountsOf,
  companyOfAccount,
  findAccount,
  insertAccount,
  lockAccount,
  otherOfAddress,
  updateAccount,
} from '#sql/system/accounts.ts'
import { type CompanyRow, findCompany } from '#sql/system/companies.ts'
import { closeGate } from '#sql/system/locks.ts'
import { type Actor, operator } from '../records/actor.ts'
import type { Transaction } from '../store/database.ts'
import { violatedIndex } from '../store/faults.ts'
import { auditChange } from './audit-log.ts'
import { hashPassword, passwordProblems } from './password.ts'
import { endSessionsOf } from './session.ts'
import { disableUnanswered } from './webhooks.ts'

/** An account: a person or program that may act for a company, within permissions. */
export type Account = AccountRow

export type NewAccount = {
  name: string
  email: string
  password?: string | undefined
  permissions: readonly string[]
  /** Whether the account is for a program, which never has a password. */
  service?: boolean
}

export async function createAccount(
  transaction: Transaction,
  companyId: number,
  input: NewAccount,
  options: AccountOptions = {},
): Promise<Account> {
  const { permissions, service = false } = input
  const password = await newPassword(transaction, companyId, input.password, options)
  const checked = await checkedAccount({ ...input, service }, password, { permissions, isNewAddress: true })
  if (!service) await refuseTaken(transaction, companyId, checked.email, null)
  const account = await byAddress(transaction.run<Account>(insertAccount(companyId, { ...checked, service })))
  await auditChange(transaction, options.actor ?? operator(companyId), 'accounts', [null, account])
  return account
}

export type AccountChange = Partial<Omit<NewAccount, 'service'>> & { disabled?: boolean }

type AccountOptions = {
  /** The author; undefined for the operator. */
  actor?: Actor
  /** Hashes a password: at once, or in a queue where many may come together. */
  hashing?: typeof hashPassword
  /** The name of the password in the caller's request. */
  passwordField?: string
  /** The public address of the service; its name may not be part of a password. */
  publicUrl?: string | null
}

/** A new password, and the data to check it. */
type NewPassword = Awaited<ReturnType<typeof newPassword>>

async function newPassword(
  transaction: Transaction,
  companyId: number,
  text: string | undefined,
  { hashing = hashPassword, passwordField = 'password', publicUrl = null }: AccountOptions,
) {
  if (text === undefined) return undefined
  const [company] = await transaction.run<CompanyRow>(findCompany(companyId))
  const host = publicUrl === null ? undefined : new URL(publicUrl).hostname
  return { text, field: passwordField, company: company?.name ?? '', host, hashing }
}

/**
 * Changes the given members, from the next request of the account's token on. A new password or a disabled account ends
 * its sessions. Webhooks of the account are switched off if it may no longer see all that they send.
 */
export async function setAccount(
  transaction: Transaction,
  companyId: number,
  id: number,
  change: AccountChange,
  options: AccountOptions = {},
): Promise<Account> {
  await transaction.run(closeGate(companyId))
  const before = await readAccount(transaction, companyId, id, true)
  const { name = before.name, email = before.email, permissions = before.permissions } = change
  const given = { name, email, permissions: [...permissions], service: before.service }
  const password = await newPassword(transaction, companyId, change.password, options)
  const isNewAddress = email.trim() !== before.email
  const checked = await checkedAccount(given, password, { permissions: change.permissions ?? [], isNewAddress })
  if (isNewAddress && !before.service) await refuseTaken(transaction, companyId, checked.email, id)
  const wanted = { ...before, ...checked, disabled: change.disabled ?? before.disabled }
  const after = await byAddress(transaction.run<Account>(updateAccount(companyId, wanted, checked.passwordHash)))
  const { actor = operator(companyId) } = options
  // Of a password only that it changed.
  const others = checked.passwordHash === null ? {} : { password: [null, null] }
  await auditChange(transaction, actor, 'accounts', [before, after], { others })
  if (after.disabled || checked.passwordHash !== null) await endSessionsOf(transaction, actor, id)
  await disableUnanswered(transaction, companyId, after)
  return after
}

/** The newly granted permissions, and whether the address is written: a stored one is not judged again. */
type NewParts = { permissions: readonly string[]; isNewAddress: boolean }

/** Returns the account to store. Throws all problems at once. */
async function checkedAccount(
  wanted: Omit<NewAccount, 'password'>,
  password: NewPassword,
  { permissions: granted, isNewAddress }: NewParts,
) {
  const name = checkValue(accounts.fields.name, wanted.name, 'name')
  const email = checkValue(accounts.fields.email, wanted.email, 'email')
  const problems = [
    ...name.problems,
    ...email.problems,
    ...(isNewAddress ? invisibleProblems(email.value as string) : []),
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

/** Returns the written account. Throws if another account of the company has the e-mail address. */
async function byAddress(rows: Promise<Account[]>): Promise<Account> {
  try {
    const [row] = await rows
    return row as Account
  } catch (error) {
    if (violatedIndex(error) !== 'accounts_email') throw error
    throw createTaken()
  }
}

const createTaken = (): Refusal => invalidField('email', 'not_unique', 'belongs to another account of the company')

/**
 * Throws if another account of the company has the address. The index does not hold accounts apart whose addresses were
 * equal after an upgrade, and they keep them until one is written.
 */
async function refuseTaken(transaction: Transaction, companyId: number, email: string, id: number | null) {
  const [other] = await transaction.run(otherOfAddress(companyId, email, id))
  if (other) throw createTaken()
}

/** Returns the problem of an address in which a character does not show: a reader would take it for another one. */
function invisibleProblems(email: string): Problem[] {
  const found = invisibleIn(email)
  return found === undefined
    ? []
    : [problem('email', 'invisible', `has the invisible character ${found}: type it anew`)]
}

/** Returns an account of the company, locked until the transaction ends if `isLocked`. Throws if there is none. */
export async function readAccount(transaction: Transaction, companyId: number, id: number, isLocked: boolean) {
  const select = isLocked ? lockAccount : findAccount
  const [account] = await transaction.run<Account>(select(companyId, id))
  if (!account) throw new Refusal('not_found', { detail: `The company has no account ${id}.` })
  return account
}

export const listAccounts = (transaction: Transaction, companyId: number): Promise<Account[]> =>
  transaction.run<Account>(accountsOf(companyId))

/** Returns the company of an account, because the operator names the account alone. */
export async function companyOf(transaction: Transaction, id: number): Promise<number> {
  const [row] = await transaction.run<{ company_id: number }>(companyOfAccount(id))
  if (!row) throw new Refusal('not_found', { detail: `There is no account ${id}.` })
  return row.company_id
}

const serviceProblems = (service: boolean | undefined, field: string): Problem[] =>
  service ? [problem(field, 'not_allowed', 'cannot be given to a service account: nobody signs in with it')] : []

function permissionProblems(wanted: readonly string[]): Problem[] {
  const strange = wanted.find((code) => !allPermissions.includes(code))
  if (strange === undefined) return []
  return [problem('permissions', 'not_allowed', `has ${JSON.stringify(strange)}, which is no permission`)]
}
