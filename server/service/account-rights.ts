import { problem } from '#registry/definition.ts'
import { invalidField, invalidFields, Refusal } from '#registry/refusals.ts'
import type { Account, AccountChange } from './account.ts'

/**
 * Checks of account management: no account gets more rights than its manager holds, by its own hand or through another
 * account.
 */

/** Throws if a newly granted permission is not held by its granter. */
export function mayGrant(held: readonly string[], before: readonly string[], wanted: readonly string[]): void {
  const beyond = wanted.find((code) => !before.includes(code) && !held.includes(code))
  if (beyond === undefined) return
  throw invalidField('permissions', 'not_allowed', `has ${JSON.stringify(beyond)}, which you do not hold yourself`)
}

/** Throws if a needed permission is not held; `holds` is undefined for the operator. */
export function needAll(
  holds: readonly string[] | undefined,
  needed: readonly string[],
  said: (missing: string) => string,
  does = 'do this',
): void {
  const missing = holds && needed.find((code) => !holds.includes(code))
  if (missing === undefined) return
  throw new Refusal('insufficient_scope', {
    detail: `${said(missing)}, which you do not hold; only somebody who does can ${does}.`,
    required_scope: missing,
  })
}

export function mayChangeAccount(
  self: Pick<Account, 'id' | 'permissions'>,
  before: Account,
  { permissions, disabled }: AccountChange,
): void {
  // With a new password or address, the manager could sign in as an account with more rights.
  needAll(self.permissions, before.permissions, (missing) => `The account holds ${missing}`, 'change it')
  if (permissions) mayGrant(self.permissions, before.permissions, permissions)
  if (self.id !== before.id) return
  // So there is always an account left that can manage accounts.
  const isLeaving = permissions && !permissions.includes('ACCOUNTS_MANAGE')
  const staying = 'must go on to have ACCOUNTS_MANAGE: nobody takes that from himself'
  const problems = [
    ...(disabled ? [problem('disabled', 'not_allowed', 'cannot be set on your own account')] : []),
    ...(isLeaving ? [problem('permissions', 'not_allowed', staying)] : []),
  ]
  if (problems.length > 0) throw invalidFields(problems)
}
