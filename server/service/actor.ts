import { randomUUID } from 'node:crypto'
import type { Author } from '#derive/queries/log.ts'

/** Who acts, through which door: the token of an integrator, somebody in the office, or the operator. */
export type Actor = Author & { door: 'api' | 'web' | 'command' }

export const operator = (companyId: number): Actor => ({
  ...{ companyId, accountId: null, tokenId: null, door: 'command' },
  writeId: randomUUID(),
})
