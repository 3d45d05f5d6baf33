import type { IncomingMessage } from 'node:http'

/**
 * The caller's own ids of a request, for the log alone. The request keeps an id of the service, because stored calls
 * are found by it and a caller must not choose it.
 */
export type RequestIdentity = { trace_id?: string; caller_request_id?: string }

/** The identities of requests under way, by the request's own id. */
export type RequestIdentities = Map<string, RequestIdentity>

/** https://www.w3.org/TR/trace-context/#traceparent-header: version, trace, parent and flags. */
const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
const visibleAscii = /^[!-~]{1,128}$/

/**
 * Returns undefined if the caller sends no usable id. Node joins a repeated header with a comma and a blank, which
 * neither form has.
 */
export function identityOf({ headers }: Pick<IncomingMessage, 'headers'>): RequestIdentity | undefined {
  const { traceparent: trace, 'x-request-id': callerId } = headers
  const traceId = typeof trace === 'string' ? traceparent.exec(trace)?.[1] : undefined
  const isUsable = typeof callerId === 'string' && visibleAscii.test(callerId)
  if (traceId === undefined && !isUsable) return undefined
  return { ...(traceId && { trace_id: traceId }), ...(isUsable && { caller_request_id: callerId }) }
}
