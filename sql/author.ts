import type { Sql } from 'sql-template-tag'
import { sql } from './statement.ts'

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
  /** The preview that it applies. */
  previewId?: string | undefined
}

/** The same of a change that nobody can take back: it has no write. */
export type LogAuthor = Omit<Author, 'writeId'> & { writeId: string | null }

/** What a row of the log says of the call that it comes from. The rows of one statement share the rest of their author. */
export type Origin = Pick<LogAuthor, 'writeId' | 'requestId' | 'idempotencyKey'>

/** The channel as the column `door` has it, whose first rows called the console the web. */
export const doorOf = ({ channel }: Pick<Author, 'channel'>): string => (channel === 'console' ? 'web' : channel)

/** `hasOrigins`: each row brings its own origin, as its last three columns. */
export type Logged = { records: string; action: string; removalId?: number | undefined; hasOrigins?: boolean }

/** The origin of an author as columns, in the order in which rows bring theirs. */
export const originOf = ({ writeId, requestId, idempotencyKey }: Origin): Sql =>
  sql`${writeId}::uuid, ${requestId ?? null}::text, ${idempotencyKey ?? null}::text`
