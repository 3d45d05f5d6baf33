import { createHash } from 'node:crypto'
import type { CallerAsk } from '#derive/queries/caller.ts'
import { type AnswerRow, claimKey, findAnswer, storeAnswer } from '#derive/queries/idempotency.ts'
import { Refusal, type RefusalCode } from '#registry/refusals.ts'
import type { Transaction } from '../store/database.ts'
import { type Answer, canonical } from './answer.ts'
import type { Call } from './call.ts'
import type { Intent } from './read-intent.ts'

/** A key that this transaction asked for. */
export type Claimed = {
  key: string
  fingerprint: Buffer
  /** The answer of the call that used the key before; refused where it still runs or was another request. */
  earlier(): Answer | undefined
}

/** Claims the key and looks up its answer: two statements, sent together. Decisions, Idempotency. */
export async function claim(
  transaction: Transaction,
  ask: CallerAsk,
  key: string,
  call: Call,
  intent: Intent,
): Promise<Claimed> {
  const [[claimed], [stored]] = await Promise.all([
    transaction.run<{ claimed: boolean }>(claimKey(lockOf(ask.companyId, key), ask)),
    transaction.run<AnswerRow>(findAnswer(ask.companyId, key)),
  ])
  const fingerprint = fingerprintOf(call, intent)
  const earlier = (): Answer | undefined => {
    if (!claimed?.claimed) throw new Refusal('idempotency_in_progress', { headers: { 'Retry-After': '1' } })
    if (!stored) return undefined
    if (!stored.fingerprint.equals(fingerprint)) throw new Refusal('idempotency_key_reuse')
    return replayed(stored)
  }
  return { key, fingerprint, earlier }
}

/** Stores the answer of an operation that ran; after any other refusal the key stays free. */
export function keep(transaction: Transaction, ask: CallerAsk, { key, fingerprint }: Claimed, answer: Answer): void {
  if (answer.replayed || (answer.code !== null && !storedRefusals.includes(answer.code))) return
  const { status, body, headers } = answer
  const row = { fingerprint, status, body, location: headers.Location ?? null, etag: headers.ETag ?? null }
  transaction.send(storeAnswer(ask.companyId, key, row))
}

const storedRefusals: RefusalCode[] = ['not_found', 'precondition_failed', 'plan_limit_reached', 'delete_blocked']

function replayed({ status, body, location, etag }: AnswerRow): Answer {
  const headers = {
    ...(location === null ? {} : { Location: location }),
    ...(etag === null ? {} : { ETag: etag }),
    'Idempotency-Replayed': 'true',
  }
  const code = status < 400 ? null : (JSON.parse(body) as { code: RefusalCode }).code
  return { status, code, headers, body, replayed: true }
}

/** Method, path and the body in its canonical spelling. */
const fingerprintOf = ({ route, path }: Call, { body }: Intent): Buffer =>
  createHash('sha256')
    .update(`${route.method} ${path}\n${canonical(body)}`)
    .digest()

/** The advisory lock of a key of a company: the first 8 bytes of a hash, as PostgreSQL's bigint. */
export const lockOf = (companyId: number, key: string): string =>
  createHash('sha256').update(`${companyId} ${key}`).digest().readBigInt64BE().toString()
