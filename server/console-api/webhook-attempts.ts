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

export async function list(asked: OperationRequest<'webhooks.attempts'>) {
  const wanted = readPage(asked.parameters)
  const failedAlone = readFailed(asked.parameters.failed)
  const { company_id: companyId, id } = await findWebhook(asked)
  const list = attemptsOf(companyId, id, { failedAlone, ...wanted })
  return rowsOf<AttemptListRow>(asked, wanted, list, countAttempts(companyId, id, failedAlone))
}

export async function fetch(asked: OperationRequest<'webhook-attempts.fetch'>) {
  const { companyId, lacksRights } = asked.session().actor
  return { data: await showAttempt(asked.app, companyId, await findVisibleAttempt(asked), lacksRights) }
}

/** Sends a test. Its duration depends on the receiver. */
export async function test(asked: OperationRequest<'webhooks.test'>) {
  const { company_id: companyId, id } = await findAnswerableWebhook(asked)
  return { data: await asked.outside(() => sendTest(asked.app, companyId, id, asked.session().actor.lacksRights)) }
}

export async function sendAgain(asked: OperationRequest<'webhook-attempts.send-again'>) {
  const { id, endpoint_id } = await findVisibleAttempt(asked)
  const { company_id: companyId } = await findAnswerableWebhook(asked, endpoint_id)
  return { data: await asked.outside(() => sendOnceMore(asked.app, companyId, id, asked.session().actor.lacksRights)) }
}

/** Returns the attempt of the path. Throws if the account may not see its record. */
async function findVisibleAttempt(asked: AdmittedRequest): Promise<AttemptInFull> {
  const { actor, row } = asked.session()
  const attempt = await findOneAttempt(asked.app, actor.companyId, recordId(asked))
  if (attempt.event !== testEvent) needViews(row.permissions, [attempt.event])
  return attempt
}

function readFailed(text: string | undefined): boolean {
  if (text !== undefined && text !== 'true' && text !== 'false')
    throw invalidParameter('failed', `is ${quoteText(text)}; it must be true or false`)
  return text === 'true'
}
