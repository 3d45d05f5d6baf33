import type { AgentSettings } from '#registry/agents.ts'

/**
 * Changes of settings that need one's own password: somebody who found a session open could gain by them. The service
 * and the pages decide by the same functions. A change that only takes something away needs none.
 */

type AccountBefore = { email: string; permissions: readonly string[]; disabled: boolean }
type AccountAfter = {
  email?: string | undefined
  permissions?: readonly string[] | undefined
  password?: string | undefined
  disabled?: boolean | undefined
}

/**
 * Returns whether a new account (`before` is null) or a change of one gives somebody more: a password or an address to
 * sign in with, another permission, or an account that can be used again.
 */
export function givesAccess(
  before: AccountBefore | null,
  { email, permissions, password, disabled }: AccountAfter,
): boolean {
  if (password !== undefined) return true
  if (permissions?.some((code) => !before?.permissions.includes(code))) return true
  if (!before) return false
  return (email ?? before.email) !== before.email || (before.disabled && disabled === false)
}

/** Returns whether agents may do more after a change of their settings. Null: agents are off. */
export const loosensAgents = (before: AgentSettings | null, after: AgentSettings | null): boolean =>
  after !== null && (before === null || after.records_max > before.records_max || (before.always && !after.always))
