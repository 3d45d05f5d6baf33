import { hash } from 'node:crypto'
import { Refusal } from '#registry/refusals.ts'
import type { Statement } from '#sql/statement.ts'
import type { EarlierRow, KeyAsk, StoredResponseRow } from '#sql/system/stored-responses.ts'
import type { Transaction } from '../store/database.ts'

/**
 * The Idempotency-Key of a write: where its response is stored, the request it is bound to, and the response to a retry.
 */
export type KeyPolicy<Response, Who = unknown> = KeyAsk & {
  /** Fingerprints of the request. The first is stored; an earlier request with any of them was the same request. */
  fingerprints: readonly [Buffer, ...Buffer[]]
  /** The detail of the refusal of another request with the key. */
  reuseDetail?: string
  /** Returns the row to store for a response; undefined if the key stays free. */
  keep(response: Response, transaction: Transaction, who: Who): ReplayRow | undefined | Promise<ReplayRow | undefined>
  /** Returns the response to a retry. */
  replay(stored: StoredResponseRow, transaction: Transaction, who: Who): Response | Promise<Response>
}

export type ReplayRow = Omit<StoredResponseRow, 'fingerprint'>

/** The row of a part of a series: where its response is stored, and waited for. */
export type PartPolicy<Response> = {
  /** Waits for another transaction that runs the part. Returns the response that is stored by then. */
  find(transaction: Transaction): Promise<{ response: Response } | undefined>
  /** Returns the statements that store the response. */
  store(response: Response): readonly Statement[]
}

/** Whether a key is claimed, and its stored response. */
export type KeyState = { claimed?: boolean | undefined; earlier?: EarlierRow | undefined }

/** Returns the stored response of the key. Throws if the key is in flight or belongs to another request. */
export function findEarlier(
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
