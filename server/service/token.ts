import { checkValue } from '#derive/check-value.ts'
import { type Problem, problem } from '#registry/definition.ts'
import type { Field } from '#registry/fields/index.ts'
import { scopes as allScopes } from '#registry/permissions.ts'
import { invalidField, invalidFields, Refusal } from '#registry/refusals.ts'
import { allowlistProblem, allowsMore, readAllowlistEntry } from '#registry/tokens.ts'
import { type AccountRow, findAccount, lockAccount } from '#sql/system/accounts.ts'
import { closeGate } from '#sql/system/locks.ts'
import { holdKeys } from '#sql/system/seal.ts'
import {
  activeToken,
  insertToken,
  nextTokenId,
  revokeActiveToken,
  setAllowlist,
  setTokenScopes,
  type TokenRow,
} from '#sql/system/tokens.ts'
import type { Actor } from '../records/actor.ts'
import type { Transaction } from '../store/database.ts'
import { violatedIndex } from '../store/faults.ts'
import { openSealed, type SealingKeys, seal, sealedToken } from '../store/seal.ts'
import { lackedToRepresent, needToRepresent, type Principal, principalOf, type Receiver } from './account-rights.ts'
import { audit, auditChange } from './audit-log.ts'
import { createToken, hashToken } from './token-text.ts'

/** The one active token of a company, without its text. */
export type Token = Omit<TokenRow, 'sealed'>

type TokenWithText = { token: string; row: Token }

export type NewToken = {
  accountId: number
  label: string
  scopes: readonly string[] | 'all'
  allowlist: readonly string[]
  /** The time at which it expires; by default never. */
  expiresAt?: Date | null
  /** The permissions of its issuer; undefined for the operator, who may grant anything. */
  issuerHolds?: readonly string[]
}

/**
 * Issues a token that can do no more than its account may, to an issuer who holds all that the account holds. Spec,
 * Authentication 3 and 5; Decisions, Tokens.
 */
export async function issueToken(transaction: Transaction, actor: Actor, keys: SealingKeys, input: NewToken) {
  await transaction.run(closeGate(actor.companyId))
  const [account] = await transaction.run<AccountRow>(lockAccount(actor.companyId, input.accountId))
  if (!account || account.disabled) {
    throw invalidField('account_id', 'not_found', 'must be an account of the company that is not disabled')
  }
  needToRepresent({ accountId: actor.accountId, holds: input.issuerHolds }, principalOf(account))
  const open = scopesOpenTo(account, input.issuerHolds)
  const scopes = input.scopes === 'all' ? open : [...new Set(input.scopes)]
  const problems = [
    ...labelProblems(input.label),
    ...scopeProblems(scopes, open),
    ...allowlistProblems(input.allowlist),
  ]
  if (problems.length > 0) throw invalidFields(problems)
  const { expiresAt = null } = input
  const row = {
    account_id: account.id,
    label: input.label.trim(),
    scopes,
    allowlist: normalizeAllowlist(input.allowlist),
  }
  return insert(transaction, actor, keys, row, { action: 'issued', endFrom: () => expiresAt })
}

/**
 * Replaces the text of a token, with the same scopes, label, allowlist and lifetime; the old text stops at once.
 * `holds` are the permissions of the reader of the new text; undefined for the operator. Spec, Authentication 4 and 5.
 */
export async function rotateToken(
  transaction: Transaction,
  actor: Actor,
  keys: SealingKeys,
  holds?: readonly string[],
): Promise<TokenWithText> {
  const old = await lockToken(transaction, actor, revokeActiveToken)
  needToRepresent({ accountId: actor.accountId, holds }, await principalOfToken(transaction, actor.companyId, old))
  const lifetime = old.expires_at && old.expires_at.getTime() - old.created_at.getTime()
  const endFrom = (at: Date) => (lifetime === null ? null : new Date(at.getTime() + lifetime))
  return insert(transaction, actor, keys, old, { action: 'rotated', endFrom })
}

/** Revokes the token. After the answer, no write of it commits. */
export async function revokeToken(transaction: Transaction, actor: Actor): Promise<Token> {
  const old = await lockToken(transaction, actor, revokeActiveToken)
  await audit(transaction, actor, { records: 'tokens', recordId: old.id, action: 'revoked' })
  return old
}

/** Returns the text again, on demand, if the reader `holds` all that its account holds. Each time is logged. */
export async function showToken(
  transaction: Transaction,
  actor: Actor,
  keys: SealingKeys,
  holds?: readonly string[],
): Promise<TokenWithText> {
  await transaction.run(holdKeys())
  const row = await findToken(transaction, actor.companyId)
  needToRepresent({ accountId: actor.accountId, holds }, await principalOfToken(transaction, actor.companyId, row))
  await audit(transaction, actor, { records: 'tokens', recordId: row.id, action: 'shown' })
  try {
    return { token: await openSealed(keys, row.sealed, sealedToken.boundTo(actor.companyId, row.id)), row }
  } catch (error) {
    throw new Refusal('validation_failed', {
      detail: 'The token was sealed with another PLUMBLINE_SECRET; set that one again, or rotate the token.',
      errors: [{ field: 'token', code: 'wrong_format', message: (error as Error).message }],
    })
  }
}

/** Returns the active token. Throws if the company has none. */
export const findToken = (transaction: Transaction, companyId: number): Promise<TokenRow> =>
  theOne(transaction.run<TokenRow>(activeToken(companyId)))

/** Returns the active token without its text, for an overview; undefined if there is none. */
export async function presentToken(transaction: Transaction, companyId: number): Promise<Token | undefined> {
  const [row] = await transaction.run<TokenRow>(activeToken(companyId))
  return row
}

/**
 * Sets the addresses from which the token may be used. More addresses let a text that is known elsewhere act from
 * there, so who allows them must hold what a reader of the text must.
 */
export async function allowAddresses(
  transaction: Transaction,
  actor: Actor,
  allowlist: readonly string[],
  holds?: readonly string[],
) {
  const problems = allowlistProblems(allowlist)
  if (problems.length > 0) throw invalidFields(problems)
  const before = await lockToken(transaction, actor)
  const wanted = normalizeAllowlist(allowlist)
  if (allowsMore(before.allowlist, wanted)) {
    needToRepresent({ accountId: actor.accountId, holds }, await principalOfToken(transaction, actor.companyId, before))
  }
  const [row] = await transaction.run<TokenRow>(setAllowlist(actor.companyId, wanted))
  await auditChange(transaction, actor, 'tokens', [before, row as Token], { action: 'allowlist set' })
  return row as Token
}

/**
 * Changes the label or the scopes for the same text. Fewer scopes are always allowed. Added ones must be held by the
 * token's account. They let a known text do more, so their granter (`holds`; undefined for the operator) must hold them
 * and what a reader of the text must. They apply from the next call on.
 */
export async function changeToken(
  transaction: Transaction,
  actor: Actor,
  wanted: { label?: string | undefined; scopes?: readonly string[] | undefined },
  holds?: readonly string[],
): Promise<Token> {
  const before = await lockToken(transaction, actor)
  const [account] = await transaction.run<AccountRow>(lockAccount(actor.companyId, before.account_id))
  const label = wanted.label ?? before.label
  const scopes = [...new Set(wanted.scopes ?? before.scopes)]
  const added = scopes.filter((scope) => !before.scopes.includes(scope))
  const whose = holds ? 'which the account, or you, do not hold' : lackedByAccount
  const problems = [...labelProblems(label), ...scopeProblems(added, scopesOpenTo(account, holds), whose)]
  if (problems.length > 0) throw invalidFields(problems)
  if (added.length > 0) {
    needToRepresent({ accountId: actor.accountId, holds }, await principalOfToken(transaction, actor.companyId, before))
  }
  const [row] = await transaction.run<TokenRow>(setTokenScopes(actor.companyId, label.trim(), scopes))
  await auditChange(transaction, actor, 'tokens', [before, row as Token])
  return row as Token
}

/** Returns the scopes that a token of the account may get from a granter who holds them. */
const scopesOpenTo = (account: AccountRow | undefined, holds: readonly string[] | undefined): string[] =>
  allScopes.filter((scope) => account?.permissions.includes(scope) && (holds?.includes(scope) ?? true))

/** Returns the active token, which no other transaction issues, replaces, revokes or changes until this one ends. */
async function lockToken(transaction: Transaction, { companyId }: Actor, find = activeToken): Promise<TokenRow> {
  await transaction.run(closeGate(companyId))
  return theOne(transaction.run<TokenRow>(find(companyId)))
}

async function theOne(rows: Promise<TokenRow[]>): Promise<TokenRow> {
  const [row] = await rows
  if (!row) throw new Refusal('not_found', { detail: 'The company has no active token; issue one.' })
  return row
}

async function insert(
  transaction: Transaction,
  actor: Actor,
  keys: SealingKeys,
  wanted: Pick<TokenRow, 'account_id' | 'label' | 'scopes' | 'allowlist'>,
  { action, endFrom }: { action: string; endFrom(at: Date): Date | null },
): Promise<TokenWithText> {
  const [next] = await transaction.run<{ id: number; at: Date }>(nextTokenId())
  const { id, at } = next as { id: number; at: Date }
  const expires_at = endFrom(at)
  if (expires_at && expires_at <= at) throw invalidField('expires_at', 'out_of_range', 'must be a moment to come')
  const token = createToken(actor.companyId)
  const sealed = await seal(transaction, keys, { text: token, boundTo: sealedToken.boundTo(actor.companyId, id) })
  const issued = { ...wanted, expires_at, id, issued_by: actor.accountId, sealed, hash: hashToken(token) }
  try {
    const [row] = await transaction.run<TokenRow>(insertToken(actor.companyId, issued))
    await audit(transaction, actor, { records: 'tokens', recordId: id, action })
    return { token, row: row as Token }
  } catch (error) {
    if (violatedIndex(error) === 'tokens_active') throw new Refusal('token_active')
    throw error
  }
}

/** Returns the account of a token. Scopes that it has lost count: the token has them again once the account does. */
async function principalOfToken(
  { run }: Transaction,
  companyId: number,
  { account_id, scopes }: Pick<TokenRow, 'account_id' | 'scopes'>,
): Promise<Principal> {
  const [account] = await run<AccountRow>(findAccount(companyId, account_id))
  const { permissions, ...principal } = principalOf(account as AccountRow)
  return { ...principal, permissions: [...permissions, ...scopes] }
}

/** Returns the permissions that a reader lacks to get the text of the active token; none if there is no token. */
export async function lackedForToken(transaction: Transaction, companyId: number, reader: Receiver): Promise<string[]> {
  const row = await presentToken(transaction, companyId)
  return row ? lackedToRepresent(reader, await principalOfToken(transaction, companyId, row)) : []
}

/** Throws if a reader may not get the text of the active token. */
export async function needToken(transaction: Transaction, companyId: number, reader: Receiver): Promise<void> {
  const row = await presentToken(transaction, companyId)
  if (row) needToRepresent(reader, await principalOfToken(transaction, companyId, row))
}

/** Parameters of a token, and their problems. */

const labelField: Field = { kind: 'text', max: 120, example: 'Warehouse', about: 'What the token is for.' }

const labelProblems = (label: string): Problem[] => checkValue(labelField, label, 'label').problems

const lackedByAccount = 'which the account does not hold'

function scopeProblems(wanted: readonly string[], held: readonly string[], lacked = lackedByAccount): Problem[] {
  const strange = wanted.find((scope) => !held.includes(scope))
  if (strange === undefined) return []
  const why = allScopes.includes(strange) ? lacked : 'which is no scope'
  return [problem('scopes', 'not_allowed', `has ${JSON.stringify(strange)}, ${why}`)]
}

function allowlistProblems(allowlist: readonly string[]): Problem[] {
  const message = allowlistProblem(allowlist)
  return message === undefined ? [] : [problem('allowlist', 'wrong_format', message)]
}

const normalizeAllowlist = (allowlist: readonly string[]): string[] =>
  allowlist.map((entry) => readAllowlistEntry(entry) as string)
