import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { isHeardAgain, type ProblemBody } from '#registry/refusals.ts'
import type { StoredResponseRow } from '#sql/system/stored-responses.ts'
import { type KeyPolicy, lockOf, type ReplayRow } from '../writes/idempotency.ts'
import type { TokenCall } from './admitted-call.ts'
import type { Call } from './call.ts'
import type { Intent } from './read-intent.ts'
import { aboutOf, type CallResponse, formatBody, writeIdHeader } from './response.ts'

/**
 * Returns the key policy of a call to /v1. The response is stored if the operation ran. After a refusal that is not
 * replayed, the key stays free.
 */
export const keyOfCall = ({ ask, call }: TokenCall, key: string, intent: Intent): KeyPolicy<CallResponse> => ({
  key,
  lock: lockOf(ask.companyId, key),
  fingerprints: [fingerprintOf(call, intent)],
  keep: (response) =>
    response.code === null || isHeardAgain(response.code) ? storedResponse(response, call) : undefined,
  replay: replayedResponse,
})

export function storedResponse(response: CallResponse, { requestId }: Pick<Call, 'requestId'>): ReplayRow {
  const { Location: location = null, ETag: etag = null, [writeIdHeader]: write_id = null } = response.headers
  return { status: response.status, body: formatBody(response), location, etag, request_id: requestId, write_id }
}

export function replayedResponse({
  status,
  body,
  location,
  etag,
  request_id,
  write_id,
}: StoredResponseRow): CallResponse {
  const headers = {
    ...(location === null ? {} : { Location: location }),
    ...(etag === null ? {} : { ETag: etag }),
    ...(write_id === null ? {} : { [writeIdHeader]: write_id }),
    'Idempotency-Replayed': 'true',
    ...(request_id === null ? {} : { 'Idempotency-Original-Request-Id': request_id }),
  }
  const refused = status < 400 ? undefined : (JSON.parse(body) as ProblemBody)
  const [code, about] = refused ? [refused.code, aboutOf(refused)] : [null, null]
  return { status, code, about, headers, body, replayed: true }
}

/**
 * Hashes the method, the path, and the body as canonical JSON. It is stored, so its bytes never change; a golden has
 * them.
 */
export const fingerprintOf = (
  { route, path }: { route: Pick<Call['route'], 'method'>; path: string },
  { body }: Pick<Intent, 'body'>,
): Buffer => hash('sha256', `${route.method} ${path}\n${canonicalize(body)}`, 'buffer')
