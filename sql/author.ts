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
  /** Of what somebody does with a session: the request that it came with. */
  from?: RequestOrigin | undefined
}

/** Where a request came from. */
export type RequestOrigin = {
  requestId: string
  /** The TCP peer. */
  peer: string | null
  /** What the request says of whom it was forwarded for, and its client of itself: claims, which nobody checks. */
  forwardedFor: string | null
  device: string | null
}

/** The same of a change that nobody can take back: it has no write. */
export type LogAuthor = Omit<Author, 'writeId'> & { writeId: string | null }

/** What a row of the log says of the call that it comes from. The rows of one statement share the rest of their author. */
export type Origin = Pick<LogAuthor, 'writeId' | 'requestId' | 'idempotencyKey'>

/** The channel as the column `door` has it, whose first rows called the console the web. */
export const doorOf = ({ channel }: Pick<Author, 'channel'>): string => (channel === 'console' ? 'web' : channel)

/** `isAudit`: the rows say where the request came from. */
export type LoggedWrite = {
  records: string
  action: string
  removalId?: number | undefined
  isAudit?: boolean
}

/** The origin of an author as columns. */
export const originOf = ({ writeId, requestId, idempotencyKey }: Origin): Sql =>
  sql`${writeId}::uuid, ${requestId ?? null}::text, ${idempotencyKey ?? null}::text`

/** The columns of the log that say where a request came from, and their values; of changes of records there are none. */
export const cameFrom = ({ from }: LogAuthor, isAudit: boolean): { columns: Sql; values: Sql } =>
  isAudit
    ? {
        columns: sql`, peer, forwarded_for, device`,
        values: sql`, ${from?.peer ?? null}::text, ${from?.forwardedFor ?? null}::text, ${from?.device ?? null}::text`,
      }
    : { columns: sql``, values: sql`` }
