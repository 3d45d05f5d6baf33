import type { JsonObject } from '#registry/json.ts'
import { isHeardAgain, type RefusalCode, refusals } from '#registry/refusals.ts'
import { deprecationHeaders } from '../deprecation.ts'
import type { ResponseSpec } from '../operations/operation.ts'
import { mergePatchType, rateHeaders, readHeaders } from '../operations/record.ts'
import { type DataRoute, isWrite, unreadableRefusals } from '../routes.ts'
import { refTo } from '../schemas/envelopes.ts'
import { type HeaderComponent, headersOf } from '../schemas/headers.ts'
import { linksOf } from './links.ts'
import { phrases } from './problems.ts'
import { type Part, partOf } from './sharing.ts'

/** Returns all responses of an operation by status, with each of its refusals. */
export function responsesOf(route: DataRoute, links: readonly string[]): { [status: string]: Part } {
  const codes = [...new Set([...route.refusals, ...unreadableRefusals])]
  const all: { [status: string]: JsonObject } = {
    [route.success]: describeResponse(route.answer, links),
    ...(route.conditional && !isWrite(route) ? { 304: describeNotModified(route.answer) } : {}),
    ...Object.fromEntries(
      Object.entries(route.otherAnswers).map(([status, other]) => [status, describeResponse(other, links)]),
    ),
    ...refusalsByStatus(codes, (together) => [
      ...(together.includes('unsupported_media_type') && route.body?.types.includes(mergePatchType)
        ? ['AcceptPatch' as const]
        : []),
      ...(isWrite(route) && together.some(isHeardAgain) ? ['Replayed' as const, 'OriginalRequestId' as const] : []),
    ]),
  }
  const told = route.deprecated ? describedHeaders(deprecationHeaders(route.deprecated)) : {}
  return byStatus(all, told)
}

/** Adds the headers that every response of the operation has. */
const byStatus = (all: { readonly [status: string]: JsonObject }, told: JsonObject): { [status: string]: Part } =>
  Object.fromEntries(
    Object.entries(all).map(([status, response]) => {
      const headers = { ...told, ...(response.headers as JsonObject) }
      const name = (phrases[Number(status)] ?? `Status ${status}`).replaceAll(' ', '')
      return [status, partOf('responses', name, { ...response, headers })]
    }),
  )

const describeResponse = (answer: ResponseSpec, links: readonly string[]): JsonObject => ({
  description: answer.description,
  headers: headersOf(answer.headers),
  content: {
    'application/json': {
      schema: refTo(answer.schema),
      ...(answer.showsRecords ? {} : { examples: answer.examples }),
    },
  },
  ...linksOf(answer, links),
})

const describeNotModified = ({ headers }: ResponseSpec): JsonObject => ({
  description: 'Nothing has changed since one of the ETags in If-None-Match. There is no body.',
  headers: headersOf([...readHeaders, ...headers.filter((name) => name === 'Links')]),
})

/** These are no components, because no other operation has them. */
const describedHeaders = (headers: { [name: string]: string }): JsonObject =>
  Object.fromEntries(
    Object.entries(headers).map(([name, example]) => [
      name,
      { description: 'The operation is on its way out (RFC 9745, RFC 8594).', schema: { type: 'string' }, example },
    ]),
  )

/** Returns the responses of a document about the API. Only the request itself can be wrong. */
export const documentResponses = (found: JsonObject, same: JsonObject): { [status: string]: Part } =>
  byStatus({ 200: found, 304: same, ...refusalsByStatus([...unreadableRefusals, 'internal_error'], () => []) }, {})

function refusalsByStatus(
  codes: readonly RefusalCode[],
  headersFor: (codes: readonly RefusalCode[]) => readonly HeaderComponent[],
): { [status: string]: JsonObject } {
  const byStatus = [...Map.groupBy(codes, (code) => refusals[code].status)]
  return Object.fromEntries(
    byStatus.map(([status, together]) => {
      const response = {
        description: together.map((code) => `\`${code}\`: ${refusals[code].title}.`).join(' '),
        headers: headersOf(['RequestId', 'NoStore', ...(headersOfStatus[status] ?? []), ...headersFor(together)]),
        content: {
          'application/problem+json': {
            schema: refTo('Problem'),
            examples: Object.fromEntries(together.map((code) => [code, refTo(code, 'examples')])),
          },
        },
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
