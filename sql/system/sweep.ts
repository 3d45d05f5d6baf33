import { raw, type Sql } from 'sql-template-tag'
import { type SweptRows, sweepThere } from '../citus/system.ts'
import { type Statement, sql, statement } from '../statement.ts'

/**
 * Deletes up to `most` rows of a table, of those `which` picks; rows that another process holds are passed over. They
 * are deleted by their place, in which they stay until then: such a table is now empty and now long, and no plan that
 * joins it with itself is good for both.
 */
export const sweepFrom = (
  table: string,
  which: Sql,
  most: number,
): Sql => sql`delete from ${raw(table)} where ctid = any (array(
      select ctid from ${raw(table)} ${which} limit ${most} for update skip locked
    ))`

/** Removes what is over, a row for each. */
export const sweepStatement = ({ name, ...swept }: SweptRows & { name: string }): Statement =>
  statement(sql`${sweepFrom(swept.table, swept.where, swept.most)} returning 1 as swept`, name, sweepThere(swept))

/** Removes what is older than so many days; a row comes back for each. */
export const sweepOlder = ({
  keptDays,
  ...swept
}: Omit<SweptRows, 'where'> & { name: string; keptDays: number }): Statement =>
  sweepStatement({ ...swept, where: sql`where at < now() - make_interval(days => ${keptDays}::int) order by at` })
