import { raw, type Sql } from 'sql-template-tag'
import { compactThere } from '../citus/system.ts'
import { query, type Statement, sql, statement } from '../statement.ts'
import { sweepFrom } from './sweep.ts'

/** Selects the exact number of live records of a resource, which writes maintain so that none is counted. */
export const rowCount = (companyId: number | Sql, records: string): Sql => {
  const which = sql`company_id = ${companyId} and records = ${raw(`'${records}'`)}`
  return sql`(
  coalesce((select total from tallies where ${which}), 0)
  + coalesce((select sum(change) from tally_changes where ${which}), 0)
)::bigint`
}

/** Adds to the exact number of a company's live records of a resource. */
export const addToRowCount = (companyId: number, records: string, change: number): Statement =>
  query('row-counts.change')`
    insert into tally_changes (company_id, records, change) values (${companyId}, ${records}, ${change})`

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

/** `counted` are the calls that were no replay and no preview; `records` are the live records. */
export type UsageRow = { id: number; name: string; plan: string; calls: number; counted: number; records: number }

/** Reads the companies with most calls in this many days up to today: stored calls, and the sums of the others. */
export const usageOfCompanies = (days: number, most: number): Statement =>
  query('usage.of-companies')`select c.id, c.name, c.plan, recent.calls + former.calls as calls,
      recent.counted + former.counted as counted, live.records
    from (select id, name, plan from companies order by id) c
    cross join lateral (
      select count(*) as calls, count(*) filter (where counted) as counted from (
        select counted from calls where company_id = c.id and at >= current_date - ${days - 1}::int order by at
      ) one
    ) recent
    cross join lateral (
      select coalesce(sum(calls), 0)::bigint as calls, coalesce(sum(counted), 0)::bigint as counted
      from call_days where company_id = c.id and day >= current_date - ${days - 1}::int
    ) former
    cross join lateral (
      select coalesce((select sum(total) from tallies where company_id = c.id), 0)::bigint
        + coalesce((select sum(change) from tally_changes where company_id = c.id), 0)::bigint as records
    ) live
    order by calls desc, records desc, c.id limit ${most}`
