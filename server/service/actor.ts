import { v7 } from 'uuid'
import type { Author } from '#sql/author.ts'

/** Who acts, through which channel: the token of an integrator, somebody in the console, the operator, or the service itself. */
export type Actor = Author & { channel: 'api' | 'console' | 'command' | 'service' }

export const operator = (companyId: number): Actor => nobody(companyId, 'command')

/** What the service does by itself. */
export const itself = (companyId: number): Actor => nobody(companyId, 'service')

/** In the order of time, so that the index of writes grows at its end alone. */
export const newWriteId = (): string => v7()

const nobody = (companyId: number, channel: Actor['channel']): Actor => ({
  ...{ companyId, accountId: null, tokenId: null, channel },
  writeId: newWriteId(),
})
