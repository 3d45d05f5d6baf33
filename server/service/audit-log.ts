import { type AgentSettings, agentDefaults } from '#registry/agents.ts'
import type { LogAuthor } from '#sql/author.ts'
import type { CompanyRow } from '#sql/system/companies.ts'
import { appendAudit } from '#sql/system/log.ts'
import type { EndpointRow } from '#sql/system/webhooks.ts'
import type { Actor } from '../records/actor.ts'
import type { Transaction } from '../store/database.ts'
import type { Account } from './account.ts'
import type { Token } from './token.ts'

/**
 * Entries of the audit log: changes of accounts and of the company, and sign-ins. They are in the history beside
 * changes of records.
 */

export type AuditNote = { records: string; recordId: number; action: string; changes?: Facts | null }

/** Appends an entry. Empty changes add none; `changes` is null for an action that changes no values. */
export async function audit(
  transaction: Transaction,
  actor: LogAuthor,
  { changes = null, ...noted }: AuditNote,
): Promise<void> {
  if (changes && Object.keys(changes).length === 0) return
  await transaction.run(appendAudit(actor, { ...noted, changes }))
}

/** Logs the old and new values of an account; of a password only that it changed. */
export function auditAccount(
  transaction: Transaction,
  actor: Actor,
  before: Account | null,
  after: Account,
  newPassword: boolean,
): Promise<void> {
  const changes = before && { ...differences(before, after), ...(newPassword ? { password: [null, null] } : {}) }
  return audit(transaction, actor, { records: 'accounts', recordId: after.id, ...madeOr(changes) })
}

export const auditCompany = (transaction: Transaction, actor: Actor, before: CompanyRow, after: CompanyRow) =>
  audit(transaction, actor, { records: 'companies', recordId: after.id, ...madeOr(differences(before, after)) })

/** Logs a change of a webhook, without the state of its sending. */
export function auditWebhook(transaction: Transaction, actor: Actor, before: EndpointRow | null, after: EndpointRow) {
  const changes = before && differences(before, after, ['name', 'url', 'events', 'payload', 'ordered'])
  return audit(transaction, actor, { records: 'webhook_endpoints', recordId: after.id, ...madeOr(changes) })
}

const madeOr = (changes: Facts | null) => ({ action: changes ? 'changed' : 'created', changes })

/** Logs the changes of a token that stays active. */
export function auditToken(transaction: Transaction, actor: Actor, action: string, before: Token, after: Token) {
  const changes = differences(before, after, ['label', 'scopes', 'allowlist'])
  return audit(transaction, actor, { records: 'tokens', recordId: after.id, action, changes })
}

/** Logs a change of whether the call log stores details. */
export const noteCallDetails = (transaction: Transaction, actor: Actor, keeps: boolean) =>
  audit(transaction, actor, {
    ...{ records: 'calls', recordId: actor.companyId },
    ...madeOr({ keeps_details: [!keeps, keeps] }),
  })

/** Logs a change of the settings of agents; there are none while agents are off. */
export const auditAgents = (
  transaction: Transaction,
  actor: Actor,
  before: AgentSettings | null,
  after: AgentSettings | null,
) => {
  const facts = (settings: AgentSettings | null) => ({ enabled: settings !== null, ...(settings ?? agentDefaults) })
  const changes = differences(facts(before), facts(after))
  return audit(transaction, actor, { records: 'agents', recordId: actor.companyId, action: 'changed', changes })
}

/** Logs sessions of an account that began or ended, by their ids. The row belongs to the account. */
export async function auditSessions(
  transaction: Transaction,
  actor: LogAuthor,
  {
    accountId,
    action,
    ...ids
  }: { accountId: number; action: string; began?: readonly number[]; ended?: readonly number[] },
): Promise<void> {
  const { began = [], ended = [] } = ids
  if (began.length + ended.length === 0) return
  await audit(transaction, actor, {
    records: 'sessions',
    recordId: accountId,
    action,
    changes: { sessions: [ended, began] },
  })
}

/** Logs a refused sign-in to an account. The account is not its author, because the person is unknown. */
export const auditFailedSignIn = (transaction: Transaction, actor: LogAuthor, accountId: number): Promise<void> =>
  audit(transaction, actor, { records: 'sessions', recordId: accountId, action: 'sign_in_failed' })

/** Logs an export or import of records; `facts` has the details. It belongs to no write, so it cannot be undone. */
export const auditTransfer = (
  transaction: Transaction,
  actor: LogAuthor,
  { records, action, facts }: { records: 'exports' | 'imports'; action: string; facts: Facts },
): Promise<void> => {
  const changes = Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, [null, value]]))
  return audit(transaction, { ...actor, writeId: null }, { records, recordId: actor.companyId, action, changes })
}

type Facts = { readonly [name: string]: unknown }

function differences(before: Facts, after: Facts, names = Object.keys(after)): Facts {
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return Object.fromEntries(changed.map((name) => [name, [before[name] ?? null, after[name]]]))
}
