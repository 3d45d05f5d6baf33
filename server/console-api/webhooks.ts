import type { Webhook as WebhookShown, WebhookTrouble, WebhookWithSecret } from '#derive/console/responses.ts'
import { dayMilliseconds } from '#derive/moment.ts'
import { type FailingRow, failingWebhooks } from '#sql/system/webhooks.ts'
import { recordId } from '../protocol/path-id.ts'
import type { Session } from '../service/session.ts'
import { canonicalUrl } from '../service/webhook-input.ts'
import {
  changeWebhook,
  createWebhook,
  disableOne,
  enableOne,
  findOneWebhook,
  listWebhooks,
  needToAnswer,
  removeWebhook,
  replayOne,
  replayTakesOver,
  rotateWebhook,
  type Webhook,
  type WebhookAuthor,
} from '../service/webhooks.ts'
import type { Transaction } from '../store/database.ts'
import { checkAddress } from '../webhooks/address.ts'
import type { AdmittedRequest, AnyResult, ChangeOptions, ConsoleResult, Handlers } from './operation-request.ts'
import { readMoment } from './read-parameters.ts'
import { createWholeList } from './response.ts'
import { confirmedBody } from './sessions.ts'

/** Settings, Webhooks. Showing a secret or sending elsewhere needs one's own password again. */

export const webhooks = {
  'webhooks.list': async ({ read }) => createWholeList((await read(listWebhooks)).map(formatWebhook)),

  /** Returns the failing endpoints, for the banner. */
  async 'webhooks.troubles'({ app, session }) {
    const rows = await app.database.read<FailingRow>(failingWebhooks(session().actor.companyId))
    return createWholeList(
      rows.map(
        ({ failing_since, resync_since, ...row }): WebhookTrouble => ({
          ...row,
          failing_since: text(failing_since),
          resync_since: text(resync_since),
        }),
      ),
    )
  },

  async 'webhooks.fetch'(request) {
    const webhook = await findWebhook(request)
    return { data: { ...formatWebhook(webhook), attempts_since: attemptsSince(webhook, request.app) } }
  },

  async 'webhooks.create'(request) {
    const wanted = await confirmedBody(request)
    await lookAt(request, wanted.url)
    return change(
      request,
      async (transaction, by) => withSecret(await createWebhook(transaction, by, wanted)),
      needShownSecret,
    )
  },

  async 'webhooks.update'(request) {
    const { id, url } = await findWebhook(request)
    const wanted = await confirmedBody(request)
    if (wanted.url !== undefined && canonicalUrl(wanted.url) !== url) await lookAt(request, wanted.url)
    return change(request, async (transaction, by) => dataOf(await changeWebhook(transaction, by, id, wanted)))
  },

  async 'webhooks.rotate'(request) {
    const { id } = await findAnswerableWebhook(request)
    await confirmedBody(request)
    return change(
      request,
      async (transaction, by) => withSecret(await rotateWebhook(transaction, by, id)),
      needShownSecret,
    )
  },

  async 'webhooks.enable'(request) {
    const { id } = await findAnswerableWebhook(request, () => true)
    await confirmedBody(request)
    return change(request, async (transaction, by) => dataOf(await enableOne(transaction, by, id)))
  },

  async 'webhooks.disable'(request) {
    const id = recordId(request)
    return change(request, async (transaction, by) => dataOf(await disableOne(transaction, by, id)))
  },

  async 'webhooks.replay'(request) {
    const { id } = await findAnswerableWebhook(request, replayTakesOver)
    const from = readMoment('from', (await confirmedBody(request)).from)
    const keptDays = request.app.config.changesKeptDays
    return change(request, async (transaction, by) => dataOf(await replayOne(transaction, by, id, { from, keptDays })))
  },

  async 'webhooks.delete'(request) {
    const id = recordId(request)
    return change(request, async (transaction, by) => {
      await removeWebhook(transaction, by, id)
      return { data: { id, deleted: true } }
    })
  },
} satisfies Partial<Handlers>

/** Returns the time since which every attempt is still stored. */
function attemptsSince({ created_at, attempts_from }: Webhook, { config, clock }: AdmittedRequest['app']): string {
  const keptSince = clock.now().getTime() - config.webhookAttemptsKeptDays * dayMilliseconds
  return new Date(Math.max(created_at.getTime(), attempts_from?.getTime() ?? 0, keptSince)).toISOString()
}

/** Returns an endpoint, by default that of the path. */
export const findWebhook = (request: AdmittedRequest, id = recordId(request)): Promise<Webhook> =>
  request.read((transaction, companyId) => findOneWebhook(transaction, companyId, id))

/** Returns an endpoint, as `findWebhook` does. Throws if the account may not make it send, or get its secret. */
export async function findAnswerableWebhook(
  request: AdmittedRequest,
  takesOver: (webhook: Webhook) => boolean = () => false,
  id = recordId(request),
): Promise<Webhook> {
  const webhook = await findWebhook(request, id)
  needToAnswer(authorOf(request.session()), webhook, takesOver(webhook))
  return webhook
}

const authorOf = ({ actor, row }: Session) => ({ actor, holds: row.permissions })

/** Throws if a retry may not be shown the secret that an earlier try was: the rights may have changed since. */
async function needShownSecret(transaction: Transaction, session: Session, answer: string): Promise<void> {
  const { data } = JSON.parse(answer) as { data: WebhookWithSecret }
  const webhook = await findOneWebhook(transaction, session.actor.companyId, data.webhook.id)
  needToAnswer(authorOf(session), webhook, false)
}

/** Checks an address without a slot of the limiter. */
const lookAt = ({ app, outside }: AdmittedRequest, url: string): Promise<void> =>
  outside(() => checkAddress(app.outbound, url, 'caller'))

const change = <T extends AnyResult>(
  { change, app }: AdmittedRequest,
  work: (transaction: Transaction, by: WebhookAuthor) => Promise<T>,
  mayReplay?: ChangeOptions['mayReplay'],
): Promise<T | ConsoleResult> =>
  change(
    (transaction, session) => work(transaction, { ...authorOf(session), keys: app.secret, now: app.clock.now() }),
    mayReplay ? { mayReplay } : {},
  )

const withSecret = ({ secret, webhook }: { secret: string; webhook: Webhook }) => ({
  data: { secret, webhook: formatWebhook(webhook) },
})

const dataOf = (webhook: Webhook) => ({ data: formatWebhook(webhook) })

const text = (moment: Date | null): string | null => moment?.toISOString() ?? null

const formatWebhook = (webhook: Webhook): WebhookShown => {
  const { id, name, url, events, payload, ordered, disabled_because, disabled_detail } = webhook
  const { answers, pending, is_replaying } = webhook
  return {
    ...{ id, name, url, events, payload, ordered, disabled_because, disabled_detail, is_replaying },
    answers: answers && { id: answers.id, name: answers.name },
    created_at: text(webhook.created_at),
    previous_until: text(webhook.previous_until),
    next_attempt_at: text(webhook.next_attempt_at),
    failing_since: text(webhook.failing_since),
    disabled_at: text(webhook.disabled_at),
    resync_since: text(webhook.resync_since),
    waiting: Object.values(pending).filter((state) => state !== 'arrived').length,
  }
}
