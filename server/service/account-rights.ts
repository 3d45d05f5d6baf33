import type { Problem } from '#registry/definition.ts'
import { invalidFields, Refusal } from '#registry/refusals.ts'
import type { Account, AccountChange } from './account.ts'

/** Anyone who manages accounts: nobody comes to more rights than he holds, by himself or through another account. */

/** What is granted anew has to be held by who grants it. */
export function mayGrant(held: readonly string[], before: readonly string[], wanted: readonly string[]): void {
  const beyond = wanted.find((code) => !before.includes(code) && !held.includes(code))
  if (beyond === undefined) return
  const message = `has ${JSON.stringify(beyond)}, which you do not hold yourself`
  throw invalidFields([{ field: 'permissions', code: 'not_allowed', message }])
}

export function mayChangeAccount(
  self: Pick<Account, 'id' | 'permissions'>,
  before: Account,
  { permissions, disabled }: AccountChange,
): void {
  // A new password or address would let him sign in as somebody who may do more.
  const beyond = before.permissions.find((code) => !self.permissions.includes(code))
  if (beyond !== undefined) {
    throw new Refusal('insufficient_scope', {
      detail: `The account holds ${beyond}, which you do not hold; only somebody who does can change it.`,
      required_scope: beyond,
    })
  }
  if (permissions) mayGrant(self.permissions, before.permissions, permissions)
  if (self.id !== before.id) return
  // So there is always somebody left who can.
  const problems: Problem[] = []
  if (disabled) {
    problems.push({ field: 'disabled', code: 'not_allowed', message: 'cannot be set on your own account' })
  }
  if (permissions && !permissions.includes('ACCOUNTS_MANAGE')) {
    const message = 'must go on to have ACCOUNTS_MANAGE: nobody takes that from himself'
    problems.push({ field: 'permissions', code: 'not_allowed', message })
  }
  if (problems.length > 0) throw invalidFields(problems)
}
