import type { Sql } from 'sql-template-tag'
import { type Statement, sql, statement } from './statement.ts'

/**
 * What a write has to see, and to hold, before it can be judged: at most one row. It can travel with whatever else its
 * door asks first. One text for all that share its name: what there is nothing to ask about is asked with null.
 */
export type Look = { name: string; query: Sql }

/** A look by itself. */
export const lookFirst = ({ name, query }: Look): Statement =>
  statement(sql`select ${seenBy(query)} as seen`, `${name}.look`)

/** The row of a look as one value, which null stands for where there is none. */
export const seenBy = (query: Sql): Sql => sql`(select row_to_json(seen) from (${query}) seen)`
