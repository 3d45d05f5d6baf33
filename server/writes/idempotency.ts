import { hash } from 'node:crypto'
import { Refusal } from '#registry/refusals.ts'
import type { EarlierRow, KeyAsk, StoredResponseRow } from '#sql/system/stored-responses.ts'
import type { Transaction } from '../store/database.ts'

/**
 * The Idempotency-Key of a write: where its answer is stored, the request it is bound to, and the answer to a retry.
 */
export type KeyPolicy<Answer, Who = unknown> = KeyAsk & {
  /** Fingerprints of the request. The first is stored; an earlier request with any of them was the same request. */
  fingerprints: readonly [Buffer, ...Buffer[]]
  /** The detail of the refusal of another request with the key. */
  reuseDetail?: string
  /** Returns the row to store for an answer; undefined if the key stays free. */
  keep(answer: Answer, transaction: Transaction, who: Who): ReplayRow | undefined | Promise<ReplayRow | undefined>
  /** Returns the answer to a retry. */
  replay(stored: StoredResponseRow, transaction: Transaction, who: Who): Answer | Promise<Answer>
}

export type ReplayRow = Omit<StoredResponseRow, 'fingerprint'>

/** Whether a key is claimed, and its stored answer. */
export type KeyState = { claimed?: boolean | undefined; earlier?: EarlierRow | undefined }

/** Returns the stored answer of the key. Throws if the key is in flight or belongs to another request. */
export function earlierAnswer(
  { fingerprints, reuseDetail }: Pick<KeyPolicy<never>, 'fingerprints' | 'reuseDetail'>,
  { claimed, earlier }: KeyState,
): StoredResponseRow | undefined {
  if (!claimed) throw new Refusal('idempotency_in_progress', { headers: { 'Retry-After': '1' } })
  const bound = earlier?.fingerprint
  if (!bound || earlier?.is_over) return undefined
  if (fingerprints.some((one) => one.equals(bound))) return earlier as StoredResponseRow
  throw new Refusal('idempotency_key_reuse', reuseDetail === undefined ? {} : { detail: reuseDetail })
}

/** Returns the advisory lock of a company's key: the first 8 bytes of a hash, as PostgreSQL's bigint. */
export const lockOf = (companyId: number, key: string): string => lockNamed(`${companyId} ${key}`)

/** Returns the lock of a batch in mode `each`. No key contains a blank, so it differs from every lock of a key. */
export const lockOfBatch = (companyId: number, key: string): string => lockNamed(`batch ${companyId} ${key}`)

const lockNamed = (name: string): string => hash('sha256', name, 'buffer').readBigInt64BE().toString()
