/** The author of a write, for the log. */
export type Author = {
  companyId: number
  accountId: number | null
  tokenId: number | null
  channel: string
  /** The id of the write, which all its changes share. */
  writeId: string
  /** The id and the Idempotency-Key of its call. */
  requestId?: string | undefined
  idempotencyKey?: string | undefined
  /** The id of the preview that it applies. */
  previewId?: string | undefined
  /** The request that the action came with, if it has a session. */
  from?: RequestOrigin | undefined
}

export type RequestOrigin = {
  requestId: string
  /** The TCP peer. */
  peer: string | null
  /**
   * The address that the request claims to be forwarded for, and the client that it claims to be. Neither is verified.
   */
  forwardedFor: string | null
  device: string | null
}

/** The author of a change that cannot be undone: it has no write. */
export type LogAuthor = Omit<Author, 'writeId'> & { writeId: string | null }

/** The call of a row of the log. The rows of one statement share the rest of their author. */
export type Origin = Pick<LogAuthor, 'writeId' | 'requestId' | 'idempotencyKey'>

/** Returns the channel as the column `door` stores it: its first rows called the console the web. */
export const doorOf = ({ channel }: Pick<Author, 'channel'>): string => (channel === 'console' ? 'web' : channel)
