import type { JsonObject } from '#registry/json.ts'
import { type RefusalCode, refusals } from '#registry/refusals.ts'
import { type DataRoute, isWrite } from '../routes.ts'
import { refTo } from './envelopes.ts'
import { type HeaderComponent, headersOf, rateHeaders } from './headers.ts'
import { problemExamples } from './problems.ts'
import { successes } from './successes.ts'

/** Everything an operation may answer, by status: what it is for, and each way it is refused. */
export function responsesOf(route: DataRoute, errorsPage: string): JsonObject {
  const byStatus = Map.groupBy(route.refusals, (code) => refusals[code].status)
  const refused = [...byStatus].map(([status, codes]) => [status, refusalResponse(status, codes, route, errorsPage)])
  return { ...successes(route), ...Object.fromEntries(refused) }
}

function refusalResponse(status: number, codes: RefusalCode[], route: DataRoute, errorsPage: string): JsonObject {
  const replayable = isWrite(route) && codes.some((code) => answersOfWork.includes(code))
  return {
    description: codes.map((code) => `\`${code}\`: ${refusals[code].title}.`).join(' '),
    headers: headersOf(['RequestId', ...(headersOfStatus[status] ?? []), ...(replayable ? ['Replayed' as const] : [])]),
    content: {
      'application/problem+json': {
        schema: refTo('schemas', 'Problem'),
        examples: problemExamples(codes, route, errorsPage),
      },
    },
  }
}

const headersOfStatus: { readonly [status: number]: HeaderComponent[] } = {
  401: ['Challenge'],
  409: ['RetryWhileRunning'],
  415: ['Accept'],
  429: ['RetryAfter', ...rateHeaders],
  503: ['RetryAfter'],
}

/** Refusals that a retry with the same Idempotency-Key hears again. Decisions, Idempotency. */
const answersOfWork: RefusalCode[] = ['not_found', 'precondition_failed', 'plan_limit_reached', 'delete_blocked']
