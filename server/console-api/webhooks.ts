import type { WebhookOpened, Webhook as WebhookShown, WebhookTrouble } from '#derive/console/answers.ts'
import { type FailingRow, failingWebhooks } from '#sql/system/webhooks.ts'
import { recordId } from '../pipeline/read-intent.ts'
import { canonicalUrl, needViews } from '../service/webhook-input.ts'
import {
  type By,
  changeWebhook,
  createWebhook,
  disableOne,
  enableOne,
  findOneWebhook,
  listWebhooks,
  removeWebhook,
  replayOne,
  rotateWebhook,
  type Webhook,
} from '../service/webhooks.ts'
import type { Transaction } from '../store/database.ts'
import { checkAddress } from '../webhooks/address.ts'
import type { Admitted, Asked, ConsoleReply, Finished } from './asked.ts'
import { historyPage } from './history.ts'
import { readMoment } from './read-moment.ts'
import { whole } from './reply.ts'
import { confirmedBody } from './sessions.ts'

/** Settings, Webhooks: where changes are sent. What says a secret or sends elsewhere asks for one's own password again. */

export const list = async ({ read }: Asked<'webhooks.list'>) => whole((await read(listWebhooks)).map(shown))

/** Those to which nothing arrives, for the banner. */
export async function troubles({ app, session }: Asked<'webhooks.troubles'>) {
  const rows = await app.database.read<FailingRow>(failingWebhooks(session().actor.companyId))
  return whole(
    rows.map(
      ({ failing_since, resync_since, ...row }): WebhookTrouble => ({
        ...row,
        failing_since: text(failing_since),
        resync_since: text(resync_since),
      }),
    ),
  )
}

export async function fetch(asked: Asked<'webhooks.fetch'>) {
  const webhook = await existing(asked)
  const data: WebhookOpened = { ...shown(webhook), attempts_since: attemptsSince(webhook, asked.app) }
  return { data }
}

/** Every attempt from this moment on is still there. */
function attemptsSince({ created_at, attempts_from }: Webhook, { config, clock }: Admitted['app']): string {
  const keptSince = clock.now().getTime() - config.webhookAttemptsKeptDays * dayMilliseconds
  return new Date(Math.max(created_at.getTime(), attempts_from?.getTime() ?? 0, keptSince)).toISOString()
}

const dayMilliseconds = 24 * 3600 * 1000

export async function create(asked: Asked<'webhooks.create'>) {
  const wanted = await confirmedBody(asked)
  await lookAt(asked, wanted.url)
  return change(asked, async (transaction, by) => withSecret(await createWebhook(transaction, by, wanted)))
}

export async function update(asked: Asked<'webhooks.update'>) {
  const { id, url } = await existing(asked)
  const wanted = await confirmedBody(asked)
  if (wanted.url !== undefined && canonicalUrl(wanted.url) !== url) await lookAt(asked, wanted.url)
  return change(asked, async (transaction, by) => ({ data: shown(await changeWebhook(transaction, by, id, wanted)) }))
}

export async function rotate(asked: Asked<'webhooks.rotate'>) {
  const { id } = await existing(asked)
  await confirmedBody(asked)
  return change(asked, async (transaction, by) => withSecret(await rotateWebhook(transaction, by, id)))
}

export async function enable(asked: Asked<'webhooks.enable'>) {
  const { id } = await answerable(asked)
  await confirmedBody(asked)
  return change(asked, async (transaction, by) => ({ data: shown(await enableOne(transaction, by, id)) }))
}

export async function disable(asked: Asked<'webhooks.disable'>) {
  const id = recordId(asked)
  return change(asked, async (transaction, by) => ({ data: shown(await disableOne(transaction, by, id)) }))
}

export async function replay(asked: Asked<'webhooks.replay'>) {
  const { id } = await answerable(asked)
  const from = readMoment('from', (await confirmedBody(asked)).from)
  const keptDays = asked.app.config.changesKeptDays
  return change(asked, async (transaction, by) => ({
    data: shown(await replayOne(transaction, by, id, { from, keptDays })),
  }))
}

export async function remove(asked: Asked<'webhooks.delete'>) {
  const id = recordId(asked)
  return change(asked, async (transaction, by) => {
    await removeWebhook(transaction, by, id)
    return { data: { id, deleted: true as const } }
  })
}

export const history = (asked: Asked<'webhooks.history'>) => historyPage(asked, 'webhook_endpoints')

/** Returns an endpoint: that of the path unless another is named. */
export const existing = (asked: Admitted, id = recordId(asked)): Promise<Webhook> =>
  asked.read((transaction, companyId) => findOneWebhook(transaction, companyId, id))

/** Returns an endpoint, as `existing` does. Throws if the account may not see everything that is sent to it. */
export async function answerable(asked: Admitted, id = recordId(asked)): Promise<Webhook> {
  const webhook = await existing(asked, id)
  needViews(asked.session().row.permissions, webhook.events)
  return webhook
}

/** Meanwhile nobody else's turn is taken. */
const lookAt = ({ app, outside }: Admitted, url: string): Promise<void> =>
  outside(() => checkAddress(app.outbound, url, 'caller'))

const change = <T extends Finished>(
  { change, app }: Admitted,
  work: (transaction: Transaction, by: By) => Promise<T>,
): Promise<T | ConsoleReply> =>
  change((transaction, { actor, row }) =>
    work(transaction, { actor, keys: app.secret, holds: row.permissions, now: app.clock.now() }),
  )

const withSecret = ({ secret, webhook }: { secret: string; webhook: Webhook }) => ({
  data: { secret, webhook: shown(webhook) },
})

const text = (moment: Date | null): string | null => moment?.toISOString() ?? null

const shown = (webhook: Webhook): WebhookShown => {
  const { id, name, url, events, payload, ordered, disabled_because, disabled_detail } = webhook
  const { answers, pending, is_replaying } = webhook
  return {
    ...{ id, name, url, events, payload, ordered, disabled_because, disabled_detail, answers, is_replaying },
    created_at: text(webhook.created_at),
    previous_until: text(webhook.previous_until),
    next_attempt_at: text(webhook.next_attempt_at),
    failing_since: text(webhook.failing_since),
    disabled_at: text(webhook.disabled_at),
    resync_since: text(webhook.resync_since),
    waiting: Object.values(pending).filter((state) => state !== 'arrived').length,
  }
}
