import { appendAudit } from '#sql/system/log.ts'
import type { EndpointRow } from '#sql/system/webhooks.ts'
import type { Transaction } from '../store/database.ts'
import type { Account } from './account.ts'
import type { Actor } from './actor.ts'
import type { CompanyFacts } from './company.ts'

/** What somebody did to accounts and to the company is kept in the history like changes of records. */

/** Old and new of what changed; of a password only that it did. */
export function auditAccount(
  transaction: Transaction,
  actor: Actor,
  before: Account | null,
  after: Account,
  newPassword: boolean,
): Promise<unknown> {
  const changes = { ...differences(before, after), ...(newPassword ? { password: [null, null] } : {}) }
  return audit(transaction, actor, 'accounts', after.id, before ? 'changed' : 'created', before ? changes : null)
}

export const auditCompany = (transaction: Transaction, actor: Actor, before: CompanyFacts, after: CompanyFacts) =>
  audit(transaction, actor, 'companies', after.id, 'changed', differences(before, after))

/** Without what the service keeps of its sending. */
export function auditWebhook(transaction: Transaction, actor: Actor, before: EndpointRow | null, after: EndpointRow) {
  const changes = before ? differences(settingsOf(before), settingsOf(after)) : null
  return audit(transaction, actor, 'webhook_endpoints', after.id, before ? 'changed' : 'created', changes)
}

const settingsOf = ({ name, url, events, payload, ordered }: EndpointRow) => ({ name, url, events, payload, ordered })

type Facts = { readonly [name: string]: unknown }

function differences(before: Facts | null, after: Facts): { [name: string]: [unknown, unknown] } {
  const names = Object.keys(after).filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after[name]))
  return Object.fromEntries(names.map((name) => [name, [before?.[name] ?? null, after[name]]]))
}

async function audit(
  transaction: Transaction,
  actor: Actor,
  records: string,
  recordId: number,
  action: string,
  changes: Facts | null,
): Promise<void> {
  if (changes && Object.keys(changes).length === 0) return
  await transaction.run(appendAudit(actor, { records, recordId, action, changes }))
}
