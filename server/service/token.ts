import { allowlistProblem, readAllowlistEntry } from '#registry/allowlist.ts'
import type { Problem } from '#registry/definition.ts'
import { scopes as allScopes } from '#registry/permissions.ts'
import { invalidFields, Refusal } from '#registry/refusals.ts'
import { type AccountRow, lockAccount } from '#sql/system/accounts.ts'
import { appendAudit } from '#sql/system/log.ts'
import { holdKeys } from '#sql/system/seal.ts'
import {
  activeToken,
  insertToken,
  lockTokens,
  nextTokenId,
  revokeActiveToken,
  setAllowlist,
  type TokenRow,
} from '#sql/system/tokens.ts'
import type { Transaction } from '../store/database.ts'
import { violatedIndex } from '../store/faults.ts'
import type { Actor } from './actor.ts'
import { openSealed, type SealingKeys, seal, sealedToken } from './seal.ts'
import { hashToken, makeToken } from './token-text.ts'

/** The one active token of a company, without its text. */
export type Token = Omit<TokenRow, 'sealed'>

export type NewToken = {
  accountId: number
  label: string
  scopes: readonly string[] | 'all'
  allowlist: readonly string[]
  /** The permissions of the one who issues it; undefined: the operator, who may grant anything. */
  issuerHolds?: readonly string[]
}

/**
 * Issues a token that can do no more than its account may. Anyone who has its text acts as the account, so only somebody
 * who may do all that the account may issues one for another. Spec, Authentication 3 and 5; Decisions, Tokens.
 */
export async function issueToken(
  transaction: Transaction,
  actor: Actor,
  keys: SealingKeys,
  input: NewToken,
): Promise<{ token: string; row: Token }> {
  await transaction.run(lockTokens(actor.companyId))
  const [account] = await transaction.run<AccountRow>(lockAccount(actor.companyId, input.accountId))
  if (!account || account.disabled) {
    throw invalidFields([
      { field: 'account_id', code: 'not_found', message: 'must be an account of the company that is not disabled' },
    ])
  }
  if (account.id !== actor.accountId) {
    needAll(input.issuerHolds, account.permissions, (missing) => `${account.name} holds ${missing}`)
  }
  const held = allScopes.filter(
    (scope) => account.permissions.includes(scope) && (input.issuerHolds?.includes(scope) ?? true),
  )
  const scopes = input.scopes === 'all' ? held : [...new Set(input.scopes)]
  const problems = [
    ...labelProblems(input.label),
    ...scopeProblems(scopes, held),
    ...allowlistProblems(input.allowlist),
  ]
  if (problems.length > 0) throw invalidFields(problems)
  const row = { account_id: account.id, label: input.label.trim(), scopes, allowlist: normalized(input.allowlist) }
  return insert(transaction, actor, keys, row, 'issued')
}

/**
 * A new text with the same scopes, label and allowlist; the old one stops at once. `holds` are the permissions of the one
 * who will see the text; undefined: the operator. Spec, Authentication 4 and 5.
 */
export async function rotateToken(
  transaction: Transaction,
  actor: Actor,
  keys: SealingKeys,
  holds?: readonly string[],
): Promise<{ token: string; row: Token }> {
  await transaction.run(lockTokens(actor.companyId))
  const [old] = await transaction.run<TokenRow>(revokeActiveToken(actor.companyId))
  if (!old) throw noToken()
  needScopes(holds, old)
  return insert(transaction, actor, keys, old, 'rotated')
}

/** When this has been answered, no write of the token is to come. */
export async function revokeToken(transaction: Transaction, actor: Actor): Promise<Token> {
  await transaction.run(lockTokens(actor.companyId))
  const [old] = await transaction.run<TokenRow>(revokeActiveToken(actor.companyId))
  if (!old) throw noToken()
  await audit(transaction, actor, old.id, 'revoked')
  return old
}

/** The text again, on demand, for somebody who `holds` all its scopes; each showing is logged. */
export async function showToken(
  transaction: Transaction,
  actor: Actor,
  keys: SealingKeys,
  holds?: readonly string[],
): Promise<{ token: string; row: Token }> {
  await transaction.run(holdKeys())
  const [row] = await transaction.run<TokenRow>(activeToken(actor.companyId))
  if (!row) throw noToken()
  needScopes(holds, row)
  await audit(transaction, actor, row.id, 'shown')
  try {
    return { token: await openSealed(keys, row.sealed, sealedToken.boundTo(actor.companyId, row.id)), row }
  } catch (error) {
    throw new Refusal('validation_failed', {
      detail: 'The token was sealed with another PLUMBLINE_SECRET; set that one again, or rotate the token.',
      errors: [{ field: 'token', code: 'wrong_format', message: (error as Error).message }],
    })
  }
}

/** The active token without its text, for an overview; undefined where there is none. */
export async function presentToken(transaction: Transaction, companyId: number): Promise<Token | undefined> {
  const [row] = await transaction.run<TokenRow>(activeToken(companyId))
  return row
}

export async function allowAddresses(
  transaction: Transaction,
  actor: Actor,
  allowlist: readonly string[],
): Promise<Token> {
  const problems = allowlistProblems(allowlist)
  if (problems.length > 0) throw invalidFields(problems)
  const [row] = await transaction.run<TokenRow>(setAllowlist(actor.companyId, normalized(allowlist)))
  if (!row) throw noToken()
  await audit(transaction, actor, row.id, 'allowlist set')
  return row
}

async function insert(
  transaction: Transaction,
  actor: Actor,
  keys: SealingKeys,
  wanted: Pick<TokenRow, 'account_id' | 'label' | 'scopes' | 'allowlist'>,
  action: string,
): Promise<{ token: string; row: Token }> {
  const [next] = await transaction.run<{ id: number }>(nextTokenId())
  const id = next?.id as number
  const token = makeToken(actor.companyId)
  const sealed = await seal(transaction, keys, { text: token, boundTo: sealedToken.boundTo(actor.companyId, id) })
  const { account_id, label, scopes, allowlist } = wanted
  const issued_by = actor.accountId
  try {
    const [row] = await transaction.run<TokenRow>(
      insertToken(actor.companyId, {
        ...{ id, account_id, issued_by, label, scopes, allowlist, sealed },
        hash: hashToken(token),
      }),
    )
    await audit(transaction, actor, id, action)
    return { token, row: row as Token }
  } catch (error) {
    if (violatedIndex(error) === 'tokens_active') throw new Refusal('token_active')
    throw error
  }
}

const audit = (transaction: Transaction, actor: Actor, recordId: number, action: string) =>
  transaction.run(appendAudit(actor, { records: 'tokens', recordId, action, changes: null }))

/** The text of a token is all that it takes to use it: nobody comes by it to more rights than he holds. */
const needScopes = (holds: readonly string[] | undefined, { scopes }: Pick<TokenRow, 'scopes'>): void =>
  needAll(holds, scopes, (missing) => `The token may use ${missing}`)

function needAll(holds: readonly string[] | undefined, needed: readonly string[], said: (missing: string) => string) {
  const missing = holds && needed.find((code) => !holds.includes(code))
  if (missing === undefined) return
  throw new Refusal('insufficient_scope', {
    detail: `${said(missing)}, which you do not hold; only somebody who does can do this.`,
    required_scope: missing,
  })
}

const noToken = (): Refusal => new Refusal('not_found', { detail: 'The company has no active token; issue one.' })

function labelProblems(label: string): Problem[] {
  const length = [...label.trim()].length
  if (length >= 1 && length <= 120) return []
  return [
    { field: 'label', code: length < 1 ? 'too_short' : 'too_long', message: 'must be text of 1 to 120 characters' },
  ]
}

function scopeProblems(wanted: readonly string[], held: readonly string[]): Problem[] {
  const strange = wanted.find((scope) => !held.includes(scope))
  if (strange === undefined) return []
  const why = allScopes.includes(strange) ? 'which the account does not hold' : 'which is no scope'
  return [{ field: 'scopes', code: 'not_allowed', message: `has ${JSON.stringify(strange)}, ${why}` }]
}

function allowlistProblems(allowlist: readonly string[]): Problem[] {
  const message = allowlistProblem(allowlist)
  return message === undefined ? [] : [{ field: 'allowlist', code: 'wrong_format', message }]
}

const normalized = (allowlist: readonly string[]): string[] =>
  allowlist.map((entry) => readAllowlistEntry(entry) as string)
