import type { Sql } from 'sql-template-tag'
import { type Statement, sql, statement } from './statement.ts'

/**
 * What a write has to see, and to hold, before it can be judged: at most one row, which may contain the rows of a set. It can
 * travel with whatever else its pipeline asks first. One text for all that share its name.
 */
export type Prefetch = {
  name: string
  /** `among`: the places of the rows of a set that are looked up; all by default. */
  query(among?: Sql): Sql
}

/** A prefetch by itself. */
export const prefetchStatement = ({ name, query }: Prefetch): Statement =>
  statement(sql`select ${prefetchedRow(query())} as seen`, `${name}.prefetch`)

/** The prefetched row as one value, which null stands for where there is none. */
export const prefetchedRow = (query: Sql): Sql => sql`(select row_to_json(seen) from (${query}) seen)`
