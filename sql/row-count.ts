import { type Statement, sql, statement } from './statement.ts'

/** Adds to the exact number of a company's live records of a resource. */
export const addToRowCount = (companyId: number, records: string, change: number): Statement =>
  statement(
    sql`insert into tally_changes (company_id, records, change) values (${companyId}, ${records}, ${change})`,
    'row-counts.change',
  )
