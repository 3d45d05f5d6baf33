import { raw, type Sql } from 'sql-template-tag'
import { compactThere } from '../citus/system.ts'
import { type Statement, sql, statement } from '../statement.ts'
import { sweepFrom } from './sweep.ts'

/** The exact number of a company's live records of a resource, kept beside the writes instead of counted. */
export const rowCount = (companyId: number | Sql, records: string): Sql => {
  const which = sql`company_id = ${companyId} and records = ${raw(`'${records}'`)}`
  return sql`(
  coalesce((select total from tallies where ${which}), 0)
  + coalesce((select sum(change) from tally_changes where ${which}), 0)
)::bigint`
}

/** Adds to the exact number of a company's live records of a resource. */
export const addToRowCount = (companyId: number, records: string, change: number): Statement =>
  statement(
    sql`insert into tally_changes (company_id, records, change) values (${companyId}, ${records}, ${change})`,
    'row-counts.change',
  )

/** Compacts up to `most` changes into the totals. */
export const compactRowCounts = (most: number): Statement =>
  statement(
    sql`with moved as (
      ${sweepFrom('tally_changes', sql``, most)} returning company_id, records, change
    ), folded as (
      insert into tallies (company_id, records, total)
      select company_id, records, sum(change) from moved group by company_id, records order by company_id, records
      on conflict (company_id, records) do update set total = tallies.total + excluded.total
    ) select 1 as moved from moved`,
    'row-counts.compact',
    compactThere(most),
  )
