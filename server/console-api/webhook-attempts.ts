import { invalidParameter, quoteText } from '#derive/query.ts'
import { testEvent } from '#registry/webhooks.ts'
import { type AttemptInFull, type AttemptListRow, attemptsOf, countAttempts } from '#sql/system/webhook-attempts.ts'
import { recordId } from '../protocol/path-id.ts'
import { needViews } from '../service/webhook-input.ts'
import { findOneAttempt, showAttempt } from '../webhooks/attempts.ts'
import { sendAgain, sendTest } from '../webhooks/delivery.ts'
import type { AdmittedRequest, Handlers } from './operation-request.ts'
import { readPage, rowsOf } from './read-parameters.ts'
import { findAnswerableWebhook, findWebhook } from './webhooks.ts'

/** Attempts of a webhook with requests and responses, and their repetition. */

export const webhookAttempts = {
  async 'webhooks.attempts'(request) {
    const wanted = readPage(request.parameters)
    const failedAlone = readFailed(request.parameters.failed)
    const { company_id: companyId, id } = await findWebhook(request)
    const list = attemptsOf(companyId, id, { failedAlone, ...wanted })
    return rowsOf<AttemptListRow>(request, wanted, list, countAttempts(companyId, id, failedAlone))
  },

  async 'webhook-attempts.fetch'(request) {
    const { companyId, lacksRights } = request.session().actor
    return { data: await showAttempt(request.app, companyId, await findVisibleAttempt(request), lacksRights) }
  },

  /** Sends a test. Its duration depends on the receiver. */
  async 'webhooks.test'(request) {
    const { company_id: companyId, id } = await findAnswerableWebhook(request)
    const { lacksRights } = request.session().actor
    return { data: await request.outside(() => sendTest(request.app, companyId, id, lacksRights)) }
  },

  async 'webhook-attempts.send-again'(request) {
    const { id, endpoint_id } = await findVisibleAttempt(request)
    const { company_id: companyId } = await findAnswerableWebhook(request, () => false, endpoint_id)
    const { lacksRights } = request.session().actor
    return { data: await request.outside(() => sendAgain(request.app, companyId, id, lacksRights)) }
  },
} satisfies Partial<Handlers>

/** Returns the attempt of the path. Throws if the account may not see its record. */
async function findVisibleAttempt(request: AdmittedRequest): Promise<AttemptInFull> {
  const { actor, row } = request.session()
  const attempt = await findOneAttempt(request.app, actor.companyId, recordId(request))
  if (attempt.event !== testEvent) needViews(row.permissions, [attempt.event])
  return attempt
}

function readFailed(text: string | undefined): boolean {
  if (text !== undefined && text !== 'true' && text !== 'false')
    throw invalidParameter('failed', `is ${quoteText(text)}; it must be true or false`)
  return text === 'true'
}
