import { problem } from '#registry/definition.ts'
import { invalidField, invalidFields, Refusal } from '#registry/refusals.ts'
import type { Account, AccountChange } from './account.ts'

/** Anyone who manages accounts: nobody comes to more rights than he holds, by himself or through another account. */

/** What is granted anew has to be held by who grants it. */
export function mayGrant(held: readonly string[], before: readonly string[], wanted: readonly string[]): void {
  const beyond = wanted.find((code) => !before.includes(code) && !held.includes(code))
  if (beyond === undefined) return
  throw invalidField('permissions', 'not_allowed', `has ${JSON.stringify(beyond)}, which you do not hold yourself`)
}

/** Refuses what needs a permission that somebody does not hold; `holds` undefined: the operator. */
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
  // A new password or address would let him sign in as somebody who may do more.
  needAll(self.permissions, before.permissions, (missing) => `The account holds ${missing}`, 'change it')
  if (permissions) mayGrant(self.permissions, before.permissions, permissions)
  if (self.id !== before.id) return
  // So there is always somebody left who can.
  const isLeaving = permissions && !permissions.includes('ACCOUNTS_MANAGE')
  const staying = 'must go on to have ACCOUNTS_MANAGE: nobody takes that from himself'
  const problems = [
    ...(disabled ? [problem('disabled', 'not_allowed', 'cannot be set on your own account')] : []),
    ...(isLeaving ? [problem('permissions', 'not_allowed', staying)] : []),
  ]
  if (problems.length > 0) throw invalidFields(problems)
}
