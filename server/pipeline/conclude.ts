import type { Json } from '#registry/json.ts'
import { Refusal } from '#registry/refusals.ts'
import { version } from '../config/config.ts'
import type { Actor } from '../records/actor.ts'
import { createPreview } from '../records/preview.ts'
import type { Transaction } from '../store/database.ts'
import type { App } from './app.ts'
import type { Call } from './call.ts'
import type { Intent } from './read-intent.ts'
import { type StoredResponse, withPlan, writeIdHeader } from './stored-response.ts'

type ConcludedWork = {
  actor: Actor
  call: { route: Pick<Call['route'], 'method'>; path: string }
  intent: Pick<Intent, 'dryRun' | 'ifPlan' | 'body' | 'conditions'>
  /** The last change of earlier work of the same write, if there is any. */
  after?: number | undefined
}

/**
 * Ends successful work before its commit. A dry-run gets the preview. A call with If-Plan is rolled back unless its
 * preview is the same. A write gets the header with its id. Decisions, Plans.
 */
export async function conclude(
  { secret }: Pick<App, 'secret'>,
  transaction: Transaction,
  { actor, call: { route, path }, intent, after }: ConcludedWork,
  answer: StoredResponse,
): Promise<StoredResponse> {
  const { dryRun, ifPlan, body, conditions } = intent
  if (dryRun || ifPlan !== undefined) {
    const call = { version, method: route.method, path, body, conditions: conditions as Json }
    const plan = await createPreview(transaction, actor, secret, { call, effects: answer.effects ?? [], after })
    if (ifPlan !== undefined && ifPlan !== plan.hash) {
      transaction.undo()
      throw new Refusal('plan_changed', { plan })
    }
    if (dryRun) return withPlan(answer, plan)
  }
  return { ...answer, headers: { ...answer.headers, [writeIdHeader]: actor.writeId } }
}
