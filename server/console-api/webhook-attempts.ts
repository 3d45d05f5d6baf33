import { invalidParameter, quoteText } from '#derive/query.ts'
import { testEvent } from '#registry/webhooks.ts'
import { type AttemptInFull, type AttemptListRow, attemptsOf, countAttempts } from '#sql/system/webhook-attempts.ts'
import { recordId } from '../pipeline/read-intent.ts'
import { needViews } from '../service/webhook-input.ts'
import { findOneAttempt, showAttempt } from '../webhooks/attempts.ts'
import { sendAgain as sendOnceMore, sendTest } from '../webhooks/delivery.ts'
import type { AdmittedRequest, OperationRequest } from './operation-request.ts'
import { readPage, rowsOf } from './read-parameters.ts'
import { findAnswerableWebhook, findWebhook } from './webhooks.ts'

/** Attempts of a webhook with requests and responses, and their repetition. */

export async function list(request: OperationRequest<'webhooks.attempts'>) {
  const wanted = readPage(request.parameters)
  const failedAlone = readFailed(request.parameters.failed)
  const { company_id: companyId, id } = await findWebhook(request)
  const list = attemptsOf(companyId, id, { failedAlone, ...wanted })
  return rowsOf<AttemptListRow>(request, wanted, list, countAttempts(companyId, id, failedAlone))
}

export async function fetch(request: OperationRequest<'webhook-attempts.fetch'>) {
  const { companyId, lacksRights } = request.session().actor
  return { data: await showAttempt(request.app, companyId, await findVisibleAttempt(request), lacksRights) }
}

/** Sends a test. Its duration depends on the receiver. */
export async function test(request: OperationRequest<'webhooks.test'>) {
  const { company_id: companyId, id } = await findAnswerableWebhook(request)
  return {
    data: await request.outside(() => sendTest(request.app, companyId, id, request.session().actor.lacksRights)),
  }
}

export async function sendAgain(request: OperationRequest<'webhook-attempts.send-again'>) {
  const { id, endpoint_id } = await findVisibleAttempt(request)
  const { company_id: companyId } = await findAnswerableWebhook(request, endpoint_id)
  return {
    data: await request.outside(() => sendOnceMore(request.app, companyId, id, request.session().actor.lacksRights)),
  }
}

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
