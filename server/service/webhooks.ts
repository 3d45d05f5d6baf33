import { dayMilliseconds } from '#derive/moment.ts'
import { invalidField, Refusal } from '#registry/refusals.ts'
import { previousSecretHours, recordsOfEvents, webhooksMax } from '#registry/webhooks.ts'
import type { Statement } from '#sql/statement.ts'
import { type AccountRow, accountsOf } from '#sql/system/accounts.ts'
import { firstSince } from '#sql/system/changes.ts'
import type { Cursor, Position } from '#sql/system/log.ts'
import {
  beginWebhookAt,
  deleteWebhook,
  disableWebhook,
  type EndpointRow,
  findWebhook,
  holdWebhook,
  insertWebhook,
  lockWebhooks,
  markReplay,
  nextWebhookId,
  rotateSecret,
  updateWebhook,
  type WebhookFigures,
  webhookFigures,
  webhooksOf,
} from '#sql/system/webhooks.ts'
import { type Actor, createServiceActor } from '../records/actor.ts'
import type { Database, Transaction } from '../store/database.ts'
import { type SealingKeys, seal, sealedFormerSecret, sealedWebhookSecret } from '../store/seal.ts'
import { needToRepresent, principalOf, theOperator } from './account-rights.ts'
import { type AuditNote, audit, auditChange } from './audit-log.ts'
import { endOfLog } from './changes.ts'
import {
  canonicalUrl,
  checkedSettings,
  needViews,
  rightLost,
  tellingSettings,
  type WebhookInput,
} from './webhook-input.ts'
import { createSecret, openSecrets } from './webhook-secret.ts'

/** The endpoints of a company, to which its changes are sent. */

const records = 'webhook_endpoints'

/** An endpoint as it is shown: without its secrets, and without the process that is sending to it. */
export type Webhook = EndpointRow & {
  /** The responsible account; null for the operator. */
  answers: Pick<AccountRow, 'id' | 'name' | 'permissions'> | null
}

/** The author of a change. `holds` are its permissions; undefined for the operator. The address was checked before. */
export type WebhookAuthor = { actor: Actor; keys: SealingKeys; holds?: readonly string[] | undefined; now: Date }

/**
 * Throws if the author may not get the secret of an endpoint, or make it send. It acts for the responsible account, of
 * which the author must hold everything. `takesOver`: the author is responsible from then on. That needs the views of
 * what is sent, and everything if nobody but the operator was responsible.
 */
export function needToAnswer(
  { actor, holds }: Pick<WebhookAuthor, 'actor' | 'holds'>,
  { events, answers }: Pick<Webhook, 'events' | 'answers'>,
  takesOver: boolean,
): void {
  needViews(holds, events)
  if (!takesOver || answers === null)
    needToRepresent({ accountId: actor.accountId, holds }, answers ? principalOf(answers) : theOperator)
}

/** Creates an endpoint, to which changes from now on are sent. Its secret is shown once. */
export async function createWebhook(
  transaction: Transaction,
  { actor, keys, holds }: WebhookAuthor,
  input: WebhookInput,
): Promise<{ secret: string; webhook: Webhook }> {
  const { companyId } = actor
  const settings = checkedSettings({ ...input, url: canonicalUrl(input.url) })
  needViews(holds, settings.events)
  await transaction.run(lockWebhooks(companyId))
  if ((await listWebhooks(transaction, companyId)).length >= webhooksMax) {
    throw invalidField('name', 'out_of_range', `is one too many: a company has up to ${webhooksMax} webhooks`)
  }
  const [next] = await transaction.run<{ id: number }>(nextWebhookId())
  const id = next?.id as number
  const secret = createSecret()
  const sealed = await seal(transaction, keys, { text: secret, boundTo: sealedWebhookSecret.boundTo(companyId, id) })
  const cursor = await endOfLog(transaction.run, actor.companyId)
  const sent = recordsOfEvents(settings.events)
  const made = { ...settings, id, sealed, cursor, records: sent, account_id: actor.accountId }
  const webhook = await runOn(transaction, id, insertWebhook(companyId, made))
  await auditChange(transaction, actor, records, [null, webhook])
  return { secret, webhook }
}

/**
 * Changes the given settings. The author must be allowed to see all that is sent. After a change of address, events or
 * payload the author is responsible.
 */
export async function changeWebhook(
  transaction: Transaction,
  author: WebhookAuthor,
  id: number,
  change: Partial<WebhookInput>,
): Promise<Webhook> {
  const { actor, holds } = author
  const before = await hold(transaction, actor.companyId, id)
  const url = change.url === undefined ? before.url : canonicalUrl(change.url)
  const settings = checkedSettings({ ...before, ...change, url })
  const isTelling = tellingSettings.some((name) => String(settings[name]) !== String(before[name]))
  if (isTelling) needToAnswer(author, { ...before, events: settings.events }, true)
  else needViews(holds, settings.events)
  const wanted = { ...settings, account_id: isTelling ? actor.accountId : before.account_id }
  const after = await runOn(transaction, id, updateWebhook(actor.companyId, id, wanted))
  await auditChange(transaction, actor, records, [before, after])
  return after
}

/** Replaces the secret, which is shown once. The former one signs beside it for a day. */
export async function rotateWebhook(transaction: Transaction, author: WebhookAuthor, id: number) {
  const { actor, keys, now } = author
  const { companyId } = actor
  needToAnswer(author, await hold(transaction, companyId, id), false)
  const [present = ''] = await openSecrets(transaction, keys, { companyId, id, now })
  const secret = createSecret()
  const sealed = await seal(transaction, keys, { text: secret, boundTo: sealedWebhookSecret.boundTo(companyId, id) })
  const previous = await seal(transaction, keys, { text: present, boundTo: sealedFormerSecret.boundTo(companyId, id) })
  const until = new Date(now.getTime() + previousSecretHours * 3600 * 1000)
  const webhook = await runOn(transaction, id, rotateSecret(companyId, id, { sealed, previous, until }))
  await audit(transaction, actor, { records, recordId: id, action: 'rotated' })
  return { secret, webhook }
}

/** Disables an endpoint. Nothing is sent until it is enabled; later changes wait. */
export async function disableOne(transaction: Transaction, { actor, now }: WebhookAuthor, id: number) {
  const before = await hold(transaction, actor.companyId, id)
  if (before.disabled_at !== null) return before
  const disabling = { reason: 'by_hand', detail: null, now } as const
  const after = await runOn(transaction, id, disableWebhook(actor.companyId, id, disabling))
  await audit(transaction, actor, { records, recordId: id, action: 'disabled' })
  return after
}

/**
 * Switches off the webhooks of an account that may no longer see all that is sent. A process that sends loses its
 * claim: at most running requests still arrive.
 */
export async function disableUnanswered(transaction: Transaction, companyId: number, account: AccountRow) {
  const now = new Date()
  for (const { id, account_id, events, disabled_at } of await transaction.run<EndpointRow>(webhooksOf(companyId))) {
    const detail = account_id === account.id && disabled_at === null ? rightLost(account, events) : null
    if (detail === null) continue
    await transaction.run(disableWebhook(companyId, id, { reason: 'rights', detail, now }))
    await audit(transaction, createServiceActor(companyId), { records, recordId: id, action: 'gave_up_rights' })
  }
}

/** Enables an endpoint, which continues at once from its cursor. The author is responsible from then on. */
export async function enableOne(transaction: Transaction, author: WebhookAuthor, id: number) {
  const { actor } = author
  const before = await hold(transaction, actor.companyId, id)
  needToAnswer(author, before, true)
  return begin(transaction, actor, id, { cursor: cursorOf(before), account_id: actor.accountId, action: 'enabled' })
}

/**
 * Sends all changes again from the first one that began at `from` or later, which is at most `keptDays` ago, as far back
 * as the feed of changes reaches. Throws `replay_active` during an earlier replay; switching the webhook off ends that.
 */
export async function replayOne(
  transaction: Transaction,
  author: WebhookAuthor,
  id: number,
  { from, keptDays }: { from: Date; keptDays: number },
): Promise<Webhook> {
  const { actor, now } = author
  const webhook = await hold(transaction, actor.companyId, id)
  needToAnswer(author, webhook, replayTakesOver(webhook))
  const age = now.getTime() - from.getTime()
  if (!(age >= 0)) throw invalidField('from', 'out_of_range', 'must be a moment that has passed')
  if (age > keptDays * dayMilliseconds)
    throw invalidField(
      'from',
      'out_of_range',
      `must be at most ${keptDays} days ago: a replay reaches as far back as the feed of changes`,
    )
  if (webhook.is_replaying && webhook.disabled_at === null)
    throw new Refusal('replay_active', { detail: `Webhook ${id} has not sent all of an earlier replay yet.` })
  await transaction.run(markReplay(actor.companyId, id))
  const [first] = await transaction.run<Position>(firstSince(actor.companyId, from))
  return begin(transaction, actor, id, {
    cursor: first ? { ...first, id: first.id - 1 } : await endOfLog(transaction.run, actor.companyId),
    account_id: replayTakesOver(webhook) ? actor.accountId : webhook.account_id,
    action: 'replayed',
    changes: { from: [null, from.toISOString()] },
  })
}

/** Returns whether the author of a replay is responsible from then on: it enables an endpoint that was switched off. */
export const replayTakesOver = ({ disabled_at }: Pick<Webhook, 'disabled_at'>): boolean => disabled_at !== null

export async function removeWebhook(transaction: Transaction, { actor }: WebhookAuthor, id: number): Promise<void> {
  await hold(transaction, actor.companyId, id)
  await transaction.run(deleteWebhook(actor.companyId, id))
  await audit(transaction, actor, { records, recordId: id, action: 'deleted' })
}

export async function listWebhooks(transaction: Transaction, companyId: number): Promise<Webhook[]> {
  return withAnswers(transaction, await transaction.run<EndpointRow>(webhooksOf(companyId)))
}

export const findOneWebhook = (transaction: Transaction, companyId: number, id: number): Promise<Webhook> =>
  runOn(transaction, id, findWebhook(companyId, id))

async function withAnswers(transaction: Transaction, endpoints: readonly EndpointRow[]): Promise<Webhook[]> {
  const [answered] = endpoints.filter(({ account_id }) => account_id !== null)
  const accounts = answered ? await transaction.run<AccountRow>(accountsOf(answered.company_id)) : []
  return endpoints.map((endpoint) => {
    const account = accounts.find(({ id }) => id === endpoint.account_id)
    return {
      ...endpoint,
      answers: account ? { id: account.id, name: account.name, permissions: account.permissions } : null,
    }
  })
}

/** Runs a statement that returns one endpoint. Throws `not_found` if the company does not have it. */
async function runOn(transaction: Transaction, id: number, one: Statement): Promise<Webhook> {
  const [webhook] = await withAnswers(transaction, await transaction.run<EndpointRow>(one))
  if (!webhook) throw new Refusal('not_found', { detail: `The company has no webhook ${id}.` })
  return webhook
}

export const cursorOf = ({ cursor_epoch, cursor_pos, cursor_id, log_line }: EndpointRow): Cursor => ({
  epoch: cursor_epoch,
  pos: cursor_pos,
  id: cursor_id,
  line: log_line,
})

/** Reads the state of all endpoints of all companies, for the operator. */
export async function howWebhooksDo(database: Pick<Database, 'read'>): Promise<WebhookFigures> {
  const [figures] = await database.read<WebhookFigures>(webhookFigures())
  return figures as WebhookFigures
}

const hold = (transaction: Transaction, companyId: number, id: number): Promise<Webhook> =>
  runOn(transaction, id, holdWebhook(companyId, id))

type NewStart = Pick<AuditNote, 'action' | 'changes'> & Pick<EndpointRow, 'account_id'> & { cursor: Position }

async function begin(transaction: Transaction, actor: Actor, id: number, { cursor, account_id, ...noted }: NewStart) {
  const webhook = await runOn(transaction, id, beginWebhookAt(actor.companyId, id, { cursor, account_id }))
  await audit(transaction, actor, { records, recordId: id, ...noted })
  return webhook
}
