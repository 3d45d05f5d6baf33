import { hash, randomUUID } from 'node:crypto'
import { Webhook as Signer } from 'standardwebhooks'
import { type LackedRights, lackedRights } from '#derive/visible.ts'
import { Refusal } from '#registry/refusals.ts'
import { testEvent } from '#registry/webhooks.ts'
import { type AccountRow, findAccount } from '#sql/system/accounts.ts'
import { type AttemptDetailsRow, type AttemptRow, insertAttempt } from '#sql/system/webhook-attempts.ts'
import type { EndpointRow } from '#sql/system/webhooks.ts'
import type { Destination } from '../outbound/outbound.ts'
import { NotSentError } from '../outbound/sender.ts'
import { openSecrets } from '../service/webhook-secret.ts'
import { findOneWebhook } from '../service/webhooks.ts'
import type { App } from './app.ts'
import { findOneAttempt, openAttempt } from './attempts.ts'
import { findEvent } from './log.ts'
import { eventToSend, requestHeaders, type WebhookMessage } from './message.ts'
import { keptFailure, storeResponse } from './stored-attempt.ts'

/** An endpoint that is being sent to, with its signing secrets and its open connections. */
export type Target = { webhook: EndpointRow; secrets: readonly string[]; destination: Destination }

export async function openTarget({ database, secret, clock, outbound }: App, webhook: EndpointRow): Promise<Target> {
  const { company_id: companyId, id, url } = webhook
  const secrets = await database.transaction((transaction) =>
    openSecrets(transaction, secret, { companyId, id, now: clock.now() }),
  )
  return { webhook, secrets, destination: outbound.to(url) }
}

/** Returns the headers of a message with a signature of each secret. */
export const signedHeaders = (
  secrets: readonly string[],
  { id, at, body }: { id: string; at: Date; body: string },
) => ({
  ...requestHeaders(id, Math.floor(at.getTime() / 1000)),
  'webhook-signature': secrets.map((secret) => new Signer(secret).sign(id, at, body)).join(' '),
})

/** Sends a message once. Returns the row to store, and the headers of the answer: none if no answer came. */
export async function attempt(
  { clock, log }: App,
  { webhook, secrets, destination }: Target,
  { id, type, body, after, payload }: WebhookMessage,
  { byHand, signal }: { byHand: boolean; signal?: AbortSignal },
): Promise<{ row: AttemptRow; answerHeaders: { readonly [name: string]: string } }> {
  const at = clock.now()
  const begun = clock.elapsed()
  const headers = signedHeaders(secrets, { id, at, body })
  const { answerHeaders, ...result } = await destination.post({ headers, body, ...(signal ? { signal } : {}) }).then(
    (answer) => ({ ...storeResponse(answer), answerHeaders: answer.headers }),
    (error: unknown) => {
      if (!(error instanceof NotSentError)) throw error
      const { failure, message, particulars } = error
      if (particulars !== undefined)
        log.info(
          { company_id: webhook.company_id, webhook_id: webhook.id, failure, particulars },
          `a webhook was not answered: ${message}`,
        )
      return { ...keptFailure(error), answerHeaders: {} }
    },
  )
  const row = {
    company_id: webhook.company_id,
    endpoint_id: webhook.id,
    ...{ at, event: type, event_id: id, after, payload, by_hand: byHand, ms: clock.elapsed() - begun },
    request_bytes: Buffer.byteLength(body),
    request_sha256: hash('sha256', body, 'buffer'),
    test_body: after === null ? body : null,
    ...result,
  }
  return { row, answerHeaders }
}

/** Sends a message without a change, to show whether it arrives. */
export async function sendTest(app: App, companyId: number, id: number, lacks: LackedRights = null) {
  const data = { webhook_id: id, message: 'This is a test. Nothing has changed.' }
  const body = JSON.stringify({ type: testEvent, timestamp: app.clock.now().toISOString(), data })
  const sent = { id: `evt_test_${randomUUID()}`, type: testEvent, body, after: null, payload: null }
  return sendByHand(app, { companyId, id, lacks }, () => Promise.resolve(sent))
}

/** Sends the event of an attempt again, as it is in the log now. Sends a new test if the attempt was a test. */
export async function sendAgain(app: App, companyId: number, attemptId: number, lacks: LackedRights = null) {
  const { endpoint_id: id, after, event, event_id } = await findOneAttempt(app, companyId, attemptId)
  if (after === null) return sendTest(app, companyId, id, lacks)
  return sendByHand(app, { companyId, id, lacks }, async (webhook) => {
    const lacks = await lackedByAnswerer(app, webhook)
    const found = await findEvent(app.database, { companyId, after, event, id: event_id, lacks })
    if (!found) throw new Refusal('not_found', { detail: `The log has no event ${event_id}.` })
    return eventToSend(found, webhook.payload)
  })
}

/** Returns the permissions of fields that the endpoint's account lacks. The fields that they open are not sent. */
async function lackedByAnswerer({ database }: App, { company_id, account_id }: EndpointRow): Promise<LackedRights> {
  if (account_id === null) return null
  const [account] = await database.read<AccountRow>(findAccount(company_id, account_id))
  return lackedRights(account?.permissions ?? [])
}

/** Sends one message and stores the attempt. Changes neither the cursor nor the failures of the endpoint. */
async function sendByHand(
  app: App,
  { companyId, id, lacks }: { companyId: number; id: number; lacks: LackedRights },
  make: (webhook: EndpointRow) => Promise<WebhookMessage>,
): Promise<AttemptDetailsRow> {
  const webhook = await app.database.transaction((transaction) => findOneWebhook(transaction, companyId, id))
  const sent = await make(webhook)
  const target = await openTarget(app, webhook)
  try {
    const { row } = await attempt(app, target, sent, { byHand: true })
    const [kept] = await app.database.read<{ id: number }>(insertAttempt(row))
    return await openAttempt(app, companyId, kept?.id as number, lacks)
  } finally {
    target.destination.close()
  }
}
