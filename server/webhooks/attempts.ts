import { hash } from 'node:crypto'
import { type LackedRights, lackedRights, shownLength } from '#derive/visible.ts'
import { Refusal } from '#registry/refusals.ts'
import { type AttemptDetailsRow, type AttemptInFull, findAttempt } from '#sql/system/webhook-attempts.ts'
import type { App } from './app.ts'
import { findEvent } from './log.ts'
import { eventToSend, requestHeaders } from './message.ts'
import { cutText } from './stored-attempt.ts'

/** The body of a shown attempt is formatted again from the log: it was not stored. */

/** Bytes of a request's body that are shown. */
const bodyShownMax = 64 * 1024

export async function findOneAttempt({ database }: App, companyId: number, id: number): Promise<AttemptInFull> {
  const [found] = await database.read<AttemptInFull>(findAttempt(companyId, id))
  if (!found) throw new Refusal('not_found', { detail: `The company has no attempt ${id}.` })
  return found
}

export const openAttempt = async (
  app: App,
  companyId: number,
  id: number,
  lacks: LackedRights = null,
): Promise<AttemptDetailsRow> => showAttempt(app, companyId, await findOneAttempt(app, companyId, id), lacks)

/**
 * Returns an attempt with its request, without the fields of the permissions that the reader `lacks`; null is for the
 * operator. If that leaves a part out, the answer is left out too, since it may repeat the request. The stored hash decides
 * whether the request is the one that was sent (`request_is`).
 */
export async function showAttempt(
  app: App,
  companyId: number,
  attempt: AttemptInFull,
  lacks: LackedRights,
): Promise<AttemptDetailsRow> {
  const { after: _, payload: __, test_body: ___, permissions, timestamp, request_sha256, ...shown } = attempt
  const withheld = permissions === null ? [] : lackedRights(permissions)
  const isKept = request_sha256 !== null
  const sent = isKept ? await requestBody(app, companyId, attempt, withheld) : undefined
  const isAllShown = lacks === null || lacks.every((one) => withheld.includes(one))
  const body =
    isAllShown || sent === undefined ? sent : await requestBody(app, companyId, attempt, [...withheld, ...lacks])
  const isWhole = isAllShown || (sent !== undefined && body === sent)
  const request_body = body === undefined ? null : cutText(body, bodyShownMax)
  return {
    ...shown,
    ...(isWhole ? {} : { answer_headers: null, answer_body: null, answer_cut: shown.answer_body !== null }),
    request_bytes: shownLength(shown.request_bytes, isWhole),
    request_headers: requestHeaders(attempt.event_id, timestamp),
    request_body,
    request_cut: request_body !== (body ?? null),
    request_is: sent === undefined ? 'gone' : isSame(sent, request_sha256) ? 'same' : 'changed',
  }
}

const isSame = (body: string, sha256: Buffer | null): boolean => sha256?.equals(hash('sha256', body, 'buffer')) ?? false

/** Formats the body again. Returns undefined if the event is no longer in the log. */
async function requestBody(
  { database }: App,
  companyId: number,
  { after, payload, event, event_id, test_body }: AttemptInFull,
  lacks: LackedRights,
): Promise<string | undefined> {
  if (after === null || payload === null) return test_body ?? undefined
  const found = await findEvent(database, { companyId, after, event, id: event_id, lacks })
  return found && eventToSend(found, payload).body
}
