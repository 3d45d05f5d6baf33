import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { isHeardAgain, type ProblemBody } from '#registry/refusals.ts'
import type { StoredResponseRow } from '#sql/system/stored-responses.ts'
import { type KeyPolicy, lockOf, type ReplayRow } from '../writes/idempotency.ts'
import type { Call } from './call.ts'
import type { Intent } from './read-intent.ts'
import { aboutOf, type StoredResponse, writeIdHeader } from './stored-response.ts'

/**
 * Returns the key policy of a call to /v1. The answer is stored if the operation ran. After a refusal that is not
 * replayed, the key stays free.
 */
export const keyOfCall = (companyId: number, key: string, call: Call, intent: Intent): KeyPolicy<StoredResponse> => ({
  key,
  lock: lockOf(companyId, key),
  fingerprints: [fingerprintOf(call, intent)],
  keep: (answer) => (answer.code === null || isHeardAgain(answer.code) ? storedAnswer(answer, call) : undefined),
  replay: replayedAnswer,
})

export function storedAnswer(
  { status, body, headers }: StoredResponse,
  { requestId }: Pick<Call, 'requestId'>,
): ReplayRow {
  const { Location: location = null, ETag: etag = null, [writeIdHeader]: write_id = null } = headers
  return { status, body, location, etag, request_id: requestId, write_id }
}

export function replayedAnswer({
  status,
  body,
  location,
  etag,
  request_id,
  write_id,
}: StoredResponseRow): StoredResponse {
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
