import { randomUUID } from 'node:crypto'
import { Webhook as Signer } from 'standardwebhooks'
import { Refusal } from '#registry/refusals.ts'
import { type Payload, recordsOfEvent, testEvent } from '#registry/webhooks.ts'
import { type AttemptInFull, type AttemptRow, findAttempt, insertAttempt } from '#sql/system/webhook-attempts.ts'
import type { Destination } from '../outbound/outbound.ts'
import { type Answer, NotSent } from '../outbound/sender.ts'
import type { Change } from '../service/changes.ts'
import { openSecrets } from '../service/webhook-secret.ts'
import { findOneWebhook, type Webhook } from '../service/webhooks.ts'
import type { App } from './app.ts'
import { type Event, readEvents } from './log.ts'

/** What is sent of an event: by the Standard Webhooks its type, when it was, and what it is about. */
export type Sent = { id: string; type: string; body: string; after: AttemptRow['after'] }

/** An endpoint as long as something is sent to it: whom to sign for, and where. */
export type Target = { webhook: Webhook; secrets: readonly string[]; destination: Destination }

const requestKeptMax = 64 * 1024

export async function openTarget({ database, secret, clock, outbound }: App, webhook: Webhook): Promise<Target> {
  const { company_id: companyId, id, url } = webhook
  const secrets = await database.transaction((transaction) =>
    openSecrets(transaction, secret, { companyId, id, now: clock.now() }),
  )
  return { webhook, secrets, destination: outbound.to(url) }
}

export const eventToSend = ({ change, before }: Event, payload: Payload): Sent => ({
  id: change.id,
  type: change.event,
  body: JSON.stringify({ type: change.event, timestamp: change.at, data: payload === 'full' ? change : thin(change) }),
  after: before,
})

/** What happened to which record; the rest is asked of the API. */
const thin = ({ changes: _, record: __, ...rest }: Change) => rest

/** Sends once, and says what came of it. It is not kept yet. */
export async function attempt(
  { clock }: App,
  { webhook, secrets, destination }: Target,
  { id, type, body, after }: Sent,
  { byHand, signal }: { byHand: boolean; signal?: AbortSignal },
): Promise<AttemptRow> {
  const at = clock.now()
  const begun = clock.elapsed()
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Plumbline',
    ...signed(secrets, { id, at, body }),
  }
  const result = await destination
    .post({ headers, body, ...(signal ? { signal } : {}) })
    .then(answered, (error: unknown) => unanswered(error))
  return {
    company_id: webhook.company_id,
    endpoint_id: webhook.id,
    ...{ at, event: type, event_id: id, after, by_hand: byHand, ms: clock.elapsed() - begun },
    request_headers: headers,
    request_body: cut(body),
    request_bytes: Buffer.byteLength(body),
    ...result,
  }
}

/** The headers that say what is sent, when, and that it comes from somebody who knows one of the secrets. */
const signed = (secrets: readonly string[], { id, at, body }: { id: string; at: Date; body: string }) => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': secrets.map((secret) => new Signer(secret).sign(id, at, body)).join(' '),
})

/** Whether it arrived: the answer says so by its status alone. */
export const arrived = ({ status }: Pick<AttemptRow, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300

/** A message that stands for no change, to see whether it arrives. */
export async function sendTest(app: App, companyId: number, id: number): Promise<AttemptInFull> {
  const data = { webhook_id: id, message: 'This is a test. Nothing has changed.' }
  const body = JSON.stringify({ type: testEvent, timestamp: app.clock.now().toISOString(), data })
  const sent = { id: `evt_test_${randomUUID()}`, type: testEvent, body, after: null }
  return sendByHand(app, { companyId, id }, () => Promise.resolve(sent))
}

/** The event of an attempt once more, as it is in the log, whatever came of it. Of a test, another test. */
export async function sendAgain(app: App, companyId: number, attemptId: number): Promise<AttemptInFull> {
  const { endpoint_id: id, event, event_id, after } = await findOneAttempt(app, companyId, attemptId)
  if (after === null) return sendTest(app, companyId, id)
  return sendByHand(app, { companyId, id }, async ({ payload }) => {
    const ask = { companyId, after, records: [recordsOfEvent(event)], limit: 1 }
    const [found] = (await readEvents(app.database, ask)).events
    if (found?.change.id !== event_id) throw new Refusal('not_found', { detail: `The log has no event ${event_id}.` })
    return eventToSend(found, payload)
  })
}

export async function findOneAttempt({ database }: App, companyId: number, id: number): Promise<AttemptInFull> {
  const [found] = await database.read<AttemptInFull>(findAttempt(companyId, id))
  if (!found) throw new Refusal('not_found', { detail: `The company has no attempt ${id}.` })
  return found
}

/** Says nothing of how the endpoint does, and moves nothing on. */
async function sendByHand(
  app: App,
  { companyId, id }: { companyId: number; id: number },
  make: (webhook: Webhook) => Promise<Sent>,
): Promise<AttemptInFull> {
  const webhook = await app.database.transaction((transaction) => findOneWebhook(transaction, companyId, id))
  const sent = await make(webhook)
  const target = await openTarget(app, webhook)
  try {
    const row = await attempt(app, target, sent, { byHand: true })
    const [kept] = await app.database.read<{ id: number }>(insertAttempt(row))
    return await findOneAttempt(app, companyId, kept?.id as number)
  } finally {
    target.destination.close()
  }
}

type Result = Pick<AttemptRow, 'status' | 'failure' | 'detail' | 'answer_headers' | 'answer_body' | 'answer_cut'>

const answered = ({ status, headers, body, isCut }: Answer): Result => ({
  ...{ status, failure: null, detail: null, answer_headers: headers, answer_cut: isCut },
  // The database keeps no NUL in a text.
  answer_body: body.replaceAll('\0', '\ufffd'),
})

function unanswered(error: unknown): Result {
  if (!(error instanceof NotSent)) throw error
  const { failure, message } = error
  return { status: null, failure, detail: message, answer_headers: null, answer_body: null, answer_cut: false }
}

/** The beginning of a long body, at whole characters. */
const cut = (body: string): string =>
  Buffer.byteLength(body) <= requestKeptMax
    ? body
    : new TextDecoder().decode(Buffer.from(body).subarray(0, requestKeptMax), { stream: true })
