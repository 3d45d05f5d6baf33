import type { JsonObject } from '#registry/json.ts'
import { isHeardAgain, type RefusalCode, refusals } from '#registry/refusals.ts'
import { deprecationHeaders } from '../deprecation.ts'
import type { Answer } from '../operations/operation.ts'
import { mergePatchType, rateHeaders, readHeaders } from '../operations/record.ts'
import { type DataRoute, isWrite, unreadable } from '../routes.ts'
import { refTo } from './envelopes.ts'
import { type HeaderComponent, headersOf } from './headers.ts'
import { problemExamples } from './problems.ts'

/** Everything an operation may answer, by status: what it is for, and each way it is refused. */
export function responsesOf(route: DataRoute, errorsPage: string): JsonObject {
  const codes = [...new Set([...route.refusals, ...unreadable])]
  const all: { [status: string]: JsonObject } = {
    [route.success]: described(route.answer),
    ...(route.access === 'read' && route.conditional ? { 304: unchanged(route.answer) } : {}),
    ...Object.fromEntries(Object.entries(route.otherAnswers).map(([status, other]) => [status, described(other)])),
    ...refusalsByStatus(codes, (together) => ({
      headers: [
        ...(together.includes('unsupported_media_type') && route.body?.types.includes(mergePatchType)
          ? ['AcceptPatch' as const]
          : []),
        ...(isWrite(route) && together.some(isHeardAgain) ? ['Replayed' as const, 'OriginalRequestId' as const] : []),
      ],
      examples: problemExamples(together, route, errorsPage),
    })),
  }
  if (!route.deprecated) return all
  const told = describedHeaders(deprecationHeaders(route.deprecated))
  return Object.fromEntries(
    Object.entries(all).map(([status, response]) => [
      status,
      { ...response, headers: { ...told, ...(response.headers as JsonObject) } },
    ]),
  )
}

const described = ({ description, headers, schema, examples, links }: Answer): JsonObject => ({
  description,
  headers: headersOf(headers),
  content: { 'application/json': { schema: refTo('schemas', schema), examples } },
  ...(links ? { links } : {}),
})

const unchanged = ({ headers }: Answer): JsonObject => ({
  description: 'Nothing has changed since one of the ETags in If-None-Match. There is no body.',
  headers: headersOf([...readHeaders, ...headers.filter((name) => name === 'Links')]),
})

/** Said of no other operation, so these are no components. */
const describedHeaders = (headers: { [name: string]: string }): JsonObject =>
  Object.fromEntries(
    Object.entries(headers).map(([name, example]) => [
      name,
      { description: 'The operation is on its way out (RFC 9745, RFC 8594).', schema: { type: 'string' }, example },
    ]),
  )

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
): { [status: string]: JsonObject } {
  const byStatus = [...Map.groupBy(codes, (code) => refusals[code].status)]
  return Object.fromEntries(
    byStatus.map(([status, together]) => {
      const { headers, examples } = particulars(together)
      const response = {
        description: together.map((code) => `\`${code}\`: ${refusals[code].title}.`).join(' '),
        headers: headersOf(['RequestId', 'NoStore', ...(headersOfStatus[status] ?? []), ...headers]),
        content: { 'application/problem+json': { schema: refTo('schemas', 'Problem'), examples } },
      }
      return [status, response]
    }),
  )
}

const headersOfStatus: { readonly [status: number]: HeaderComponent[] } = {
  401: ['Challenge'],
  403: ['ScopeChallenge'],
  409: ['RetryWhileRunning'],
  415: ['Accept', 'AcceptEncoding'],
  429: ['RetryAfter', ...rateHeaders],
  503: ['RetryAfter'],
}
