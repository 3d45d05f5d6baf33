import type { LogAuthor } from '#sql/author.ts'
import { appendAudit } from '#sql/system/log.ts'
import type { Actor } from '../records/actor.ts'
import type { Transaction } from '../store/database.ts'

/** Entries of the audit log, which are in the history beside changes of records. */

export type AuditNote = { records: string; recordId: number; action: string; changes?: Facts | null }

/** Appends an entry. Empty changes add none; `changes` is null for an action that changes no values. */
export async function audit(transaction: Transaction, actor: LogAuthor, { changes = null, ...noted }: AuditNote) {
  if (changes && Object.keys(changes).length === 0) return
  await transaction.run(appendAudit(actor, { ...noted, changes }))
}

/** The logged columns of rows that have others too: no state of the sending of a webhook, no text of a token. */
const loggedNames: { readonly [records: string]: readonly string[] } = {
  webhook_endpoints: ['name', 'url', 'events', 'payload', 'ordered'],
  tokens: ['label', 'scopes', 'allowlist'],
}

/** Logs the creation of a row of settings, or its old and new values. `others` are changes without values. */
export function auditChange(
  transaction: Transaction,
  actor: Actor,
  records: 'accounts' | 'agents' | 'calls' | 'companies' | 'tokens' | 'webhook_endpoints',
  [before, after]: readonly [before: Facts | null, after: Facts & { id: number }],
  { action = before ? 'changed' : 'created', others = {} }: { action?: string; others?: Facts } = {},
): Promise<void> {
  const changes = before && { ...differences(before, after, loggedNames[records]), ...others }
  return audit(transaction, actor, { records, recordId: after.id, action, changes })
}

type SessionNote = { accountId: number; action: string; began?: readonly number[]; ended?: readonly number[] }

/** Logs sessions of an account that began or ended, by their ids. The row belongs to the account. */
export async function auditSessions(
  transaction: Transaction,
  actor: LogAuthor,
  { accountId, action, began = [], ended = [] }: SessionNote,
): Promise<void> {
  if (began.length + ended.length === 0) return
  const changes = { sessions: [ended, began] }
  await audit(transaction, actor, { records: 'sessions', recordId: accountId, action, changes })
}

/** Logs a refused sign-in to an account. The account is not its author, because the person is unknown. */
export const auditFailedSignIn = (transaction: Transaction, actor: LogAuthor, accountId: number): Promise<void> =>
  audit(transaction, actor, { records: 'sessions', recordId: accountId, action: 'sign_in_failed' })

/** Logs an export, an import or an erasure, with its details. It belongs to no write, so it cannot be undone. */
export const auditFacts = (
  transaction: Transaction,
  actor: LogAuthor,
  { records, action, facts }: { records: 'exports' | 'imports' | 'companies'; action: string; facts: Facts },
): Promise<void> => {
  const changes = Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, [null, value]]))
  return audit(transaction, { ...actor, writeId: null }, { records, recordId: actor.companyId, action, changes })
}

type Facts = { readonly [name: string]: unknown }

function differences(before: Facts, after: Facts, names: readonly string[] = Object.keys(after)): Facts {
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return Object.fromEntries(changed.map((name) => [name, [before[name] ?? null, after[name]]]))
}
