/** Who writes, and with what, for the log. */
export type Author = {
  companyId: number
  accountId: number | null
  tokenId: number | null
  channel: string
  /** What all changes of one write share. */
  writeId: string
  /** The call that it came with, and that call’s key. */
  requestId?: string | undefined
  idempotencyKey?: string | undefined
}

/** The same of a change that nobody can take back: it has no write. */
export type LogAuthor = Omit<Author, 'writeId'> & { writeId: string | null }

/** The channel as the column `door` has it, whose first rows called the console the web. */
export const doorOf = ({ channel }: Pick<Author, 'channel'>): string => (channel === 'console' ? 'web' : channel)
