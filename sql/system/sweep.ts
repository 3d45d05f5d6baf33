import { raw, type Sql } from 'sql-template-tag'
import { type SweptRows, sweepThere } from '../citus/system.ts'
import { type Statement, sql, statement } from '../statement.ts'

/**
 * Deletes up to `most` rows of a table among those of `which`. Skips rows that another process has locked. Rows are
 * deleted by their place (`ctid`), which stays the same until then. Such a table is now empty and now long, and no plan
 * that joins it with itself is good for both.
 */
export const sweepFrom = (
  table: string,
  which: Sql,
  most: number,
): Sql => sql`delete from ${raw(table)} where ctid = any (array(
      select ctid from ${raw(table)} ${which} limit ${most} for update skip locked
    ))`

/** Removes rows that are over. Returns a row for each. */
export const sweepStatement = ({ name, ...swept }: SweptRows & { name: string }): Statement =>
  statement(sql`${sweepFrom(swept.table, swept.where, swept.most)} returning 1 as swept`, name, sweepThere(swept))

/** Removes rows older than `keptDays`. Returns a row for each. */
export const sweepOlder = ({
  keptDays,
  ...swept
}: Omit<SweptRows, 'where'> & { name: string; keptDays: number }): Statement =>
  sweepStatement({ ...swept, where: sql`where at < now() - make_interval(days => ${keptDays}::int) order by at` })

/** Selects the next companies, by their ids, for which there are rows. */
export const nextCompanies = (
  rows: Sql,
  after: number,
  most: number,
): Sql => sql`select id from companies where id > ${after}
      and exists (select from ${rows})
    order by id limit ${most}`
