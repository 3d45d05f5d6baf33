import { invalid, quoted } from '#derive/query.ts'
import { testEvent } from '#registry/webhooks.ts'
import { type AttemptInFull, type AttemptShown, attemptsOf, countAttempts } from '#sql/system/webhook-attempts.ts'
import { recordId } from '../pipeline/read-intent.ts'
import { needViews } from '../service/webhook-input.ts'
import { findOneAttempt, showAttempt } from '../webhooks/attempts.ts'
import { sendAgain as sendOnceMore, sendTest } from '../webhooks/delivery.ts'
import type { Admitted, Asked } from './asked.ts'
import { readPage, rowsOf } from './paging.ts'
import { answerable, existing } from './webhooks.ts'

/** What was sent to a webhook, what came back, and the same once more. */

export async function list(asked: Asked<'webhooks.attempts'>) {
  const wanted = readPage(asked.parameters)
  const failedAlone = readFailed(asked.parameters.failed)
  const { company_id: companyId, id } = await existing(asked)
  const list = attemptsOf(companyId, id, { failedAlone, ...wanted })
  return rowsOf<AttemptShown>(asked, wanted, list, countAttempts(companyId, id, failedAlone))
}

export async function fetch(asked: Asked<'webhook-attempts.fetch'>) {
  const { companyId, lacksRights } = asked.session().actor
  return { data: await showAttempt(asked.app, companyId, await visible(asked), lacksRights) }
}

/** The time that it takes is the receiver's, not ours. */
export async function test(asked: Asked<'webhooks.test'>) {
  const { company_id: companyId, id } = await answerable(asked)
  return { data: await asked.outside(() => sendTest(asked.app, companyId, id, asked.session().actor.lacksRights)) }
}

export async function sendAgain(asked: Asked<'webhook-attempts.send-again'>) {
  const { id, endpoint_id } = await visible(asked)
  const { company_id: companyId } = await answerable(asked, endpoint_id)
  return { data: await asked.outside(() => sendOnceMore(asked.app, companyId, id, asked.session().actor.lacksRights)) }
}

/** The attempt of the path, for somebody who may see the record that it tells of. */
async function visible(asked: Admitted): Promise<AttemptInFull> {
  const { actor, row } = asked.session()
  const attempt = await findOneAttempt(asked.app, actor.companyId, recordId(asked))
  if (attempt.event !== testEvent) needViews(row.permissions, [attempt.event])
  return attempt
}

function readFailed(text: string | undefined): boolean {
  if (text !== undefined && text !== 'true' && text !== 'false')
    throw invalid('failed', `is ${quoted(text)}; it must be true or false`)
  return text === 'true'
}
