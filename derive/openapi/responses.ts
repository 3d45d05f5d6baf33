import type { JsonObject } from '#registry/json.ts'
import { isHeardAgain, type RefusalCode, refusals } from '#registry/refusals.ts'
import { deprecationHeaders } from '../deprecation.ts'
import { type DataRoute, isWrite } from '../routes.ts'
import { refTo } from './envelopes.ts'
import { type HeaderComponent, headersOf } from './headers.ts'
import { problemExamples } from './problems.ts'
import { successes } from './successes.ts'

/** Everything an operation may answer, by status: what it is for, and each way it is refused. */
export function responsesOf(route: DataRoute, errorsPage: string): JsonObject {
  const byStatus = Map.groupBy(route.refusals, (code) => refusals[code].status)
  const refused = [...byStatus].map(([status, codes]) => [status, refusalResponse(status, codes, route, errorsPage)])
  const all = { ...successes(route), ...Object.fromEntries(refused) } as { [status: string]: JsonObject }
  if (!route.deprecated) return all
  const told = describedHeaders(deprecationHeaders(route.deprecated))
  return Object.fromEntries(
    Object.entries(all).map(([status, response]) => [
      status,
      { ...response, headers: { ...told, ...(response.headers as JsonObject) } },
    ]),
  )
}

/** Said of no other operation, so these are no components. */
const describedHeaders = (headers: { [name: string]: string }): JsonObject =>
  Object.fromEntries(
    Object.entries(headers).map(([name, example]) => [
      name,
      { description: 'The operation is on its way out (RFC 9745, RFC 8594).', schema: { type: 'string' }, example },
    ]),
  )

function refusalResponse(status: number, codes: RefusalCode[], route: DataRoute, errorsPage: string): JsonObject {
  const replayable = isWrite(route) && codes.some(isHeardAgain)
  return {
    description: codes.map((code) => `\`${code}\`: ${refusals[code].title}.`).join(' '),
    headers: headersOf([
      ...['RequestId' as const, 'NoStore' as const],
      ...(headersOfStatus[status] ?? []),
      ...(codes.includes('unsupported_media_type') && route.operation === 'update' ? ['AcceptPatch' as const] : []),
      ...(replayable ? ['Replayed' as const, 'OriginalRequestId' as const] : []),
    ]),
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
  403: ['ScopeChallenge'],
  409: ['RetryWhileRunning'],
  415: ['Accept', 'AcceptEncoding'],
  503: ['RetryAfter'],
}
