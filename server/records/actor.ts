import { randomUUID } from 'node:crypto'
import type { Author } from '#sql/author.ts'

/** Who acts, through which channel: the token of an integrator, somebody in the console, the operator, or the service itself. */
export type Actor = Author & {
  channel: 'api' | 'console' | 'command' | 'service'
  /** The permissions to see resources and fields, and to approve, that whoever acts lacks; of the operator and the service, none. */
  lacksRights: readonly string[]
}

export const operator = (companyId: number): Actor => createActor(companyId, 'command')

/** What the service does by itself. */
export const createServiceActor = (companyId: number): Actor => createActor(companyId, 'service')

/**
 * A UUID of version 7 (RFC 9562, 5.7): 48 bits of milliseconds, the rest at random. In the order of time, so that the index of
 * writes grows at its end alone.
 */
export function newWriteId(): string {
  const at = Date.now().toString(16).padStart(12, '0')
  return `${at.slice(0, 8)}-${at.slice(8)}-7${randomUUID().slice(15)}`
}

/** The id as it is kept, however its letters are sent; nothing where the text is none. */
export const readWriteId = (text: string): string | undefined =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined

const createActor = (companyId: number, channel: Actor['channel']): Actor => ({
  ...{ companyId, accountId: null, tokenId: null, channel },
  writeId: newWriteId(),
  lacksRights: [],
})
