import { randomUUID } from 'node:crypto'
import type { DoubtCode } from '#registry/field-codes.ts'
import type { Author } from '#sql/author.ts'
import type { Transaction } from '../store/database.ts'

/**
 * The actor of a write, and its channel: an integrator's token, a person in the console, the operator, or the service
 * itself.
 */
export type Actor = Author & {
  channel: 'api' | 'console' | 'command' | 'service'
  /**
   * Permissions to see resources and fields, and to approve, that the actor lacks. The operator and the service lack
   * none.
   */
  lacksRights: readonly string[]
  /** The secret of the company that goes into ETags. The operator and the service are answered without any. */
  tagKey?: string | undefined
  /** Returns the day of its company; undefined for the operator and the service, for whom `todayOf` reads it. */
  today?(): string
  /** The doubts that a person at the interface accepts. Undefined where nobody is asked: then none is judged. */
  accepts?: readonly DoubtCode[] | undefined
  /** Throws if the actor lacks a permission that its operation does not name; undefined where only the operation counts. */
  mayDo?(permission: string): void
}

/** A transaction, and the actor of its changes. */
export type WriteContext = { transaction: Transaction; actor: Actor }

export const operator = (companyId: number): Actor => createActor(companyId, 'command')

/** Returns the actor of the service's own writes. */
export const createServiceActor = (companyId: number): Actor => createActor(companyId, 'service')

/**
 * Returns a UUID of version 7 (RFC 9562, 5.7): 48 bits of milliseconds, the rest random. Ids grow with time, so the
 * index of writes grows at its end alone.
 */
export function newWriteId(): string {
  const at = Date.now().toString(16).padStart(12, '0')
  return `${at.slice(0, 8)}-${at.slice(8)}-7${randomUUID().slice(15)}`
}

/** Returns the id in lower case, as it is stored; undefined if the text is no id. */
export const readWriteId = (text: string): string | undefined =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined

const createActor = (companyId: number, channel: Actor['channel']): Actor => ({
  companyId,
  accountId: null,
  tokenId: null,
  channel,
  writeId: newWriteId(),
  lacksRights: [],
})
