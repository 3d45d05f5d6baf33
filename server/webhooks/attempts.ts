import { hash } from 'node:crypto'
import { Refusal } from '#registry/refusals.ts'
import { type AttemptInFull, type AttemptOpened, findAttempt } from '#sql/system/webhook-attempts.ts'
import type { App } from './app.ts'
import { cutText } from './kept.ts'
import { findEvent } from './log.ts'
import { eventToSend, requestHeaders } from './message.ts'

/** Attempts as they are shown: what was sent is made again from the log. */

/** Bytes of a request's body that are shown. */
const bodyShownMax = 64 * 1024

export async function findOneAttempt({ database }: App, companyId: number, id: number): Promise<AttemptInFull> {
  const [found] = await database.read<AttemptInFull>(findAttempt(companyId, id))
  if (!found) throw new Refusal('not_found', { detail: `The company has no attempt ${id}.` })
  return found
}

export const openAttempt = async (app: App, companyId: number, id: number): Promise<AttemptOpened> =>
  showAttempt(app, companyId, await findOneAttempt(app, companyId, id))

/** An attempt with its request; the hash that was kept says whether the request is the one that was sent. */
export async function showAttempt(app: App, companyId: number, attempt: AttemptInFull): Promise<AttemptOpened> {
  const { after: _, payload: __, test_body: ___, timestamp, request_sha256, ...shown } = attempt
  const body = request_sha256 === null ? undefined : await requestBody(app, companyId, attempt)
  const request_body = body === undefined ? null : cutText(body, bodyShownMax)
  return {
    ...shown,
    request_headers: requestHeaders(attempt.event_id, timestamp),
    request_body,
    request_cut: request_body !== (body ?? null),
    request_is: body === undefined ? 'gone' : isSame(body, request_sha256) ? 'same' : 'changed',
  }
}

const isSame = (body: string, sha256: Buffer | null): boolean => sha256?.equals(hash('sha256', body, 'buffer')) ?? false

/** Undefined where the log has no such event any more. */
async function requestBody(
  { database }: App,
  companyId: number,
  { after, payload, event, event_id, test_body }: AttemptInFull,
): Promise<string | undefined> {
  if (after === null || payload === null) return test_body ?? undefined
  const found = await findEvent(database, { companyId, after, event, id: event_id })
  return found && eventToSend(found, payload).body
}
