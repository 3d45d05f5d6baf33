import { type Statement, sql, statement } from '../statement.ts'

/** What somebody did in Settings. */
export const noteOffice = (
  companyId: number,
  note: { accountId: number | null; door: string; records: string; recordId: number; action: string; changes: unknown },
): Statement =>
  statement(sql`insert into history (company_id, account_id, door, records, record_id, action, changes)
    values (${companyId}, ${note.accountId}, ${note.door}, ${note.records}, ${note.recordId}, ${note.action},
      ${JSON.stringify(note.changes ?? null)}::json)`)
