import { invalidField, Refusal } from '#registry/refusals.ts'
import { previousSecretHours, webhooksMax } from '#registry/webhooks.ts'
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
import type { Database, Transaction } from '../store/database.ts'
import type { Actor } from './actor.ts'
import { audit, auditWebhook, type Noted } from './audit-log.ts'
import { endOfLog } from './changes.ts'
import { type SealingKeys, seal, sealedFormerSecret, sealedWebhookSecret } from './seal.ts'
import { checkedSettings, needViews, type WebhookInput } from './webhook-input.ts'
import { makeSecret, openSecrets } from './webhook-secret.ts'

/** The endpoints of a company, to which its changes are sent. */

const records = 'webhook_endpoints'
const dayMilliseconds = 24 * 3600 * 1000

/** An endpoint as it is shown: without its secrets, and without who is sending to it just now. */
export type Webhook = EndpointRow

/** `holds`: the permissions of the one who does it; undefined: the operator. The address has been looked at by then. */
export type By = { actor: Actor; keys: SealingKeys; holds?: readonly string[] | undefined; now: Date }

/** A new endpoint is told of what changes from now on. Its secret is said once. */
export async function createWebhook(
  transaction: Transaction,
  { actor, keys, holds }: By,
  input: WebhookInput,
): Promise<{ secret: string; webhook: Webhook }> {
  const { companyId } = actor
  const settings = checkedSettings(input)
  needViews(holds, settings.events)
  await transaction.run(lockWebhooks(companyId))
  if ((await listWebhooks(transaction, companyId)).length >= webhooksMax) {
    throw invalidField('name', 'out_of_range', `is one too many: a company has up to ${webhooksMax} webhooks`)
  }
  const [next] = await transaction.run<{ id: number }>(nextWebhookId())
  const id = next?.id as number
  const secret = makeSecret()
  const sealed = await seal(transaction, keys, { text: secret, boundTo: sealedWebhookSecret.boundTo(companyId, id) })
  const cursor = await endOfLog(transaction.run, actor.companyId)
  const [webhook] = await transaction.run<Webhook>(insertWebhook(companyId, { ...settings, id, sealed, cursor }))
  await auditWebhook(transaction, actor, null, webhook as Webhook)
  return { secret, webhook: webhook as Webhook }
}

/** Changes what is given. Anyone who lets it tell more, or tells somebody else, must be allowed to see all of it. */
export async function changeWebhook(
  transaction: Transaction,
  { actor, holds }: By,
  id: number,
  change: Partial<WebhookInput>,
): Promise<Webhook> {
  const before = await hold(transaction, actor.companyId, id)
  const settings = checkedSettings({ ...before, ...change })
  needViews(holds, settings.events)
  const [after] = await transaction.run<Webhook>(updateWebhook(actor.companyId, id, settings))
  await auditWebhook(transaction, actor, before, after as Webhook)
  return after as Webhook
}

/** A new secret, said once; the former one signs beside it for a day. */
export async function rotateWebhook(
  transaction: Transaction,
  { actor, keys, holds, now }: By,
  id: number,
): Promise<{ secret: string; webhook: Webhook }> {
  const { companyId } = actor
  const before = await hold(transaction, companyId, id)
  needViews(holds, before.events)
  const [present = ''] = await openSecrets(transaction, keys, { companyId, id, now })
  const secret = makeSecret()
  const sealed = await seal(transaction, keys, { text: secret, boundTo: sealedWebhookSecret.boundTo(companyId, id) })
  const previous = await seal(transaction, keys, { text: present, boundTo: sealedFormerSecret.boundTo(companyId, id) })
  const until = new Date(now.getTime() + previousSecretHours * 3600 * 1000)
  const [webhook] = await transaction.run<Webhook>(rotateSecret(companyId, id, { sealed, previous, until }))
  await audit(transaction, actor, { records, recordId: id, action: 'rotated' })
  return { secret, webhook: webhook as Webhook }
}

/** Nothing is sent until it is enabled; what changes meanwhile waits. */
export async function disableOne(transaction: Transaction, { actor, now }: By, id: number): Promise<Webhook> {
  const before = await hold(transaction, actor.companyId, id)
  if (before.disabled_at !== null) return before
  const [after] = await transaction.run<Webhook>(disableWebhook(actor.companyId, id, 'by_hand', now))
  await audit(transaction, actor, { records, recordId: id, action: 'disabled' })
  return after as Webhook
}

/** Goes on where it stopped, at once. */
export async function enableOne(transaction: Transaction, { actor }: By, id: number): Promise<Webhook> {
  const before = await hold(transaction, actor.companyId, id)
  return begin(transaction, actor, id, { cursor: cursorOf(before), action: 'enabled' })
}

/** The moment that a replay begins at; it is at most `keptDays` ago, as far back as the feed of changes reaches. */
export type ReplayRequest = { from: Date; keptDays: number }

/**
 * Sends everything again from the first change on that began at a moment or later. Throws `replay_active` while an earlier
 * replay is still being sent; switching the webhook off ends that.
 */
export async function replayOne(
  transaction: Transaction,
  { actor, now }: By,
  id: number,
  { from, keptDays }: ReplayRequest,
): Promise<Webhook> {
  const webhook = await hold(transaction, actor.companyId, id)
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
    action: 'replayed',
    changes: { from: [null, from.toISOString()] },
  })
}

export async function removeWebhook(transaction: Transaction, { actor }: By, id: number): Promise<void> {
  await hold(transaction, actor.companyId, id)
  await transaction.run(deleteWebhook(actor.companyId, id))
  await audit(transaction, actor, { records, recordId: id, action: 'deleted' })
}

export const listWebhooks = (transaction: Transaction, companyId: number): Promise<Webhook[]> =>
  transaction.run<Webhook>(webhooksOf(companyId))

export async function findOneWebhook(transaction: Transaction, companyId: number, id: number): Promise<Webhook> {
  return found(id, transaction.run<Webhook>(findWebhook(companyId, id)))
}

export const cursorOf = ({ cursor_epoch, cursor_pos, cursor_id, log_line }: Webhook): Cursor => ({
  epoch: cursor_epoch,
  pos: cursor_pos,
  id: cursor_id,
  line: log_line,
})

async function found(id: number, rows: Promise<Webhook[]>): Promise<Webhook> {
  const [webhook] = await rows
  if (!webhook) throw new Refusal('not_found', { detail: `The company has no webhook ${id}.` })
  return webhook
}

/** Those of all companies together, for the operator. */
export async function howWebhooksDo(database: Pick<Database, 'read'>): Promise<WebhookFigures> {
  const [figures] = await database.read<WebhookFigures>(webhookFigures())
  return figures as WebhookFigures
}

async function hold(transaction: Transaction, companyId: number, id: number): Promise<Webhook> {
  return found(id, transaction.run<Webhook>(holdWebhook(companyId, id)))
}

async function begin(
  transaction: Transaction,
  actor: Actor,
  id: number,
  { cursor, ...noted }: Pick<Noted, 'action' | 'changes'> & { cursor: Position },
): Promise<Webhook> {
  const [webhook] = await transaction.run<Webhook>(beginWebhookAt(actor.companyId, id, cursor))
  await audit(transaction, actor, { records, recordId: id, ...noted })
  return webhook as Webhook
}
