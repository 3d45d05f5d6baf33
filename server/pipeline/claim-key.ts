import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { isHeardAgain, type ProblemBody, Refusal } from '#registry/refusals.ts'
import type { AnswerRow, KeyAsk } from '#sql/system/answers.ts'
import type { CallerAsk } from '#sql/system/caller.ts'
import { type Answer, aboutOf, writeIdHeader } from './answer.ts'
import type { Call } from './call.ts'
import type { Intent } from './read-intent.ts'

/** A key, and the request that it is bound to. */
export type Key = KeyAsk & { fingerprint: Buffer }

export const keyOf = (ask: CallerAsk, key: string, call: Call, intent: Intent): Key => ({
  key,
  lock: lockOf(ask.companyId, key),
  fingerprint: fingerprintOf(call, intent),
})

/** The answer of the call that used the key before; refused where it still runs or was another request. */
export function earlierAnswer(
  { fingerprint }: Key,
  claimed: boolean | undefined,
  earlier: { [column in keyof AnswerRow]?: AnswerRow[column] | null },
): Answer | undefined {
  if (!claimed) throw new Refusal('idempotency_in_progress', { headers: { 'Retry-After': '1' } })
  if (!earlier.fingerprint) return undefined
  if (!earlier.fingerprint.equals(fingerprint)) throw new Refusal('idempotency_key_reuse')
  return replayed(earlier as AnswerRow)
}

/** What is stored of the answer of an operation that ran; after any other refusal the key stays free. */
export function keptAnswer(
  { key, fingerprint }: Key,
  answer: Answer,
  requestId: string,
): { key: string; answer: AnswerRow } | undefined {
  if (answer.replayed || (answer.code !== null && !isHeardAgain(answer.code))) return undefined
  const { status, body, headers } = answer
  const { Location: location = null, ETag: etag = null, [writeIdHeader]: write_id = null } = headers
  return { key, answer: { fingerprint, status, body, location, etag, request_id: requestId, write_id } }
}

function replayed({ status, body, location, etag, request_id, write_id }: AnswerRow): Answer {
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

/** Method, path and the body in its canonical spelling. Stored, so its bytes never change; a golden holds them. */
export const fingerprintOf = (
  { route, path }: { route: Pick<Call['route'], 'method'>; path: string },
  { body }: Pick<Intent, 'body'>,
): Buffer => hash('sha256', `${route.method} ${path}\n${canonicalize(body)}`, 'buffer')

/** The advisory lock of a key of a company: the first 8 bytes of a hash, as PostgreSQL's bigint. */
export const lockOf = (companyId: number, key: string): string =>
  hash('sha256', `${companyId} ${key}`, 'buffer').readBigInt64BE().toString()

/** The same of a batch whose operations have a transaction each; no key has a blank, so the two never meet. */
export const lockOfBatch = (companyId: number, key: string): string =>
  hash('sha256', `batch ${companyId} ${key}`, 'buffer').readBigInt64BE().toString()
