import { checkValue } from '#derive/check-value.ts'
import { allowlistProblem, readAllowlistEntry } from '#registry/allowlist.ts'
import { type Problem, problem } from '#registry/definition.ts'
import type { Field } from '#registry/fields/index.ts'
import { scopes as allScopes } from '#registry/permissions.ts'

/** What somebody wants of a token, and what is wrong with it. */

const labelField: Field = { kind: 'text', max: 120, example: 'Warehouse', about: 'What the token is for.' }

export const labelProblems = (label: string): Problem[] => checkValue(labelField, label, 'label').problems

export const lackedByAccount = 'which the account does not hold'

export function scopeProblems(wanted: readonly string[], held: readonly string[], lacked = lackedByAccount): Problem[] {
  const strange = wanted.find((scope) => !held.includes(scope))
  if (strange === undefined) return []
  const why = allScopes.includes(strange) ? lacked : 'which is no scope'
  return [problem('scopes', 'not_allowed', `has ${JSON.stringify(strange)}, ${why}`)]
}

export function allowlistProblems(allowlist: readonly string[]): Problem[] {
  const message = allowlistProblem(allowlist)
  return message === undefined ? [] : [problem('allowlist', 'wrong_format', message)]
}

export const normalizeAllowlist = (allowlist: readonly string[]): string[] =>
  allowlist.map((entry) => readAllowlistEntry(entry) as string)
