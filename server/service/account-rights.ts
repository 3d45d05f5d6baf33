import { series } from '#derive/words.ts'
import { problem } from '#registry/definition.ts'
import { permissions as allPermissions } from '#registry/permissions.ts'
import { invalidField, invalidFields, Refusal } from '#registry/refusals.ts'
import type { Account, AccountChange } from './account.ts'

/** Checks that nobody gets more rights than they hold: by their own hand, through another account, or by a secret. */

/** Somebody who gets a secret. `holds` are their permissions; undefined for the operator. */
export type Receiver = { accountId: number | null; holds?: readonly string[] | undefined }

/** An account, link or role for which a secret acts. Only an account has an `accountId`. */
export type Principal = { accountId?: number; name: string; permissions: readonly string[] }

/** The operator as a principal: it may do everything. */
export const theOperator: Principal = { name: 'the operator', permissions: allPermissions }

export const principalOf = ({ id, name, permissions }: Pick<Account, 'id' | 'name' | 'permissions'>): Principal => ({
  accountId: id,
  name,
  permissions,
})

/**
 * Returns the permissions that somebody lacks to get a secret, or to let one do more. With the secret they could do
 * all that it may do, so they must hold all of it. An account's own secrets are always its own.
 */
export function lackedToRepresent({ accountId, holds }: Receiver, { permissions, ...principal }: Principal) {
  if (holds === undefined || (accountId !== null && accountId === principal.accountId)) return []
  return [...new Set(permissions)].filter((code) => !holds.includes(code))
}

/** Throws if somebody lacks a permission to get a secret, or to let one do more. The refusal names all that lack. */
export function needToRepresent(receiver: Receiver, principal: Principal): void {
  refuseLacking(lackedToRepresent(receiver, principal), (missing) => `This acts for ${principal.name} with ${missing}`)
}

/** Throws if a newly granted permission is not held by its granter. */
export function mayGrant(held: readonly string[], before: readonly string[], wanted: readonly string[]): void {
  const beyond = wanted.find((code) => !before.includes(code) && !held.includes(code))
  if (beyond === undefined) return
  throw invalidField('permissions', 'not_allowed', `has ${JSON.stringify(beyond)}, which you do not hold yourself`)
}

/** Throws if a needed permission is not held, and names all such; `holds` is undefined for the operator. */
export function needAll(
  holds: readonly string[] | undefined,
  needed: readonly string[],
  said: (missing: string) => string,
  does = 'do this',
): void {
  refuseLacking(holds ? needed.filter((code) => !holds.includes(code)) : [], said, does)
}

function refuseLacking(lacking: readonly string[], said: (missing: string) => string, does = 'do this'): void {
  const [required_scope] = lacking
  if (required_scope === undefined) return
  throw new Refusal('insufficient_scope', {
    detail: `${said(series(lacking))}, which you do not hold; only somebody who does can ${does}.`,
    required_scope,
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
