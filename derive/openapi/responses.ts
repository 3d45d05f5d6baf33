import type { JsonObject } from '#registry/json.ts'
import { type RefusalCode, refusals } from '#registry/refusals.ts'
import { type DataRoute, isWrite, unreadable } from '../routes.ts'
import { refTo } from './envelopes.ts'
import { type HeaderComponent, headersOf, rateHeaders } from './headers.ts'
import { problemExamples } from './problems.ts'
import { successes } from './successes.ts'

/** Everything an operation may answer, by status: what it is for, and each way it is refused. */
export function responsesOf(route: DataRoute, errorsPage: string): JsonObject {
  const codes = [...new Set([...route.refusals, ...unreadable])]
  const isReplayed = (status: readonly RefusalCode[]) =>
    isWrite(route) && status.some((code) => answersOfWork.includes(code))
  return {
    ...successes(route),
    ...refusalsByStatus(codes, (status) => ({
      headers: isReplayed(status) ? ['Replayed'] : [],
      examples: problemExamples(status, route, errorsPage),
    })),
  }
}

/** What a document about the API may answer besides itself: it takes nothing that could be wrong but the request. */
export const documentResponses = (): JsonObject =>
  refusalsByStatus([...unreadable, 'internal_error'], (codes) => ({
    headers: [],
    examples: Object.fromEntries(codes.map((code) => [code, refTo('examples', code)])),
  }))

type Particulars = { headers: HeaderComponent[]; examples: JsonObject }

function refusalsByStatus(
  codes: readonly RefusalCode[],
  particulars: (codes: readonly RefusalCode[]) => Particulars,
): JsonObject {
  const byStatus = [...Map.groupBy(codes, (code) => refusals[code].status)]
  return Object.fromEntries(
    byStatus.map(([status, together]) => {
      const { headers, examples } = particulars(together)
      const response = {
        description: together.map((code) => `\`${code}\`: ${refusals[code].title}.`).join(' '),
        headers: headersOf(['RequestId', ...(headersOfStatus[status] ?? []), ...headers]),
        content: { 'application/problem+json': { schema: refTo('schemas', 'Problem'), examples } },
      }
      return [status, response]
    }),
  )
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
