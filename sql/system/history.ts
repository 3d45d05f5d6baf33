import type { Sql } from 'sql-template-tag'
import { type Statement, sql, statement } from '../statement.ts'

/** Who writes, for the history. */
export type Author = { companyId: number; accountId: number | null; tokenId: number | null; door: string }

/** A row of history for each record that `records` (id, changes) yields. */
export const note = (author: Author, records: string, action: string, of: Sql): Sql =>
  sql`insert into history (company_id, account_id, token_id, door, records, action, record_id, changes)
    select ${author.companyId}::bigint, ${author.accountId}::bigint, ${author.tokenId}::bigint, ${author.door}, ${records}, ${action}, noted.*
    from (${of}) noted`

/** What somebody did in Settings. */
export const noteOffice = (
  companyId: number,
  note: { accountId: number | null; door: string; records: string; recordId: number; action: string; changes: unknown },
): Statement =>
  statement(sql`insert into history (company_id, account_id, door, records, record_id, action, changes)
    values (${companyId}, ${note.accountId}, ${note.door}, ${note.records}, ${note.recordId}, ${note.action},
      ${JSON.stringify(note.changes ?? null)}::json)`)
