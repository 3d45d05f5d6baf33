import { join, raw, type Sql } from 'sql-template-tag'
import { eitherSql, identifier, sql } from './statement.ts'

/**
 * Ways to a row, each of which one index alone can serve. A new database has no statistics, and to the planner all
 * indexes of its tables look alike; a plan made then is kept as long as its connection. So the text of a statement
 * leaves no choice:
 *
 * - A key is looked up without a word of `deleted_at`, behind a fence (`offset 0`) that no condition passes: every index
 *   but the primary key holds live records alone, and cannot serve a statement that does not ask for these.
 * - What another index serves is asked for as a range that holds one value, in the order of that index. Equality would
 *   make the order void; with a range only that index has it, and sorting is what the session avoids (`enable_sort`).
 *
 * Decisions, Queries.
 */

/** A record by its key, live or not, as a source of rows; `lock` as in `for update`. */
export const byKey = (table: string, companyId: number | Sql, id: number | Sql, lock = ''): Sql =>
  sql`(select * from ${identifier(table)} where company_id = ${companyId} and id = ${id} ${raw(lock)} offset 0)`

/** A company by its id. */
export const companyRow = (id: number | Sql): Sql => sql`(select * from companies where id = ${id} offset 0)`

/** Records by their keys, in the order of the ids, locked in that order; each once, as the source of rows `r`. */
export const byKeys = (table: string, companyId: number, ids: readonly number[], lock = ''): Sql =>
  sql`(select distinct id from unnest(${ids}::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from ${identifier(table)} where company_id = ${companyId} and id = wanted.id ${raw(lock)} offset 0
    ) r`

/** The live records of a company, in the order of their ids. */
export const liveOf = (table: string, companyId: number): Sql =>
  sql`(select * from ${identifier(table)} r where company_id = ${companyId} and deleted_at is null ${inOrderOf(sql`id`)})`

/** The live records of a company in one state. */
export const inState = (table: string, companyId: number, status: string): Sql => sql`(
      select * from ${identifier(table)} where company_id = ${companyId} and ${equalsIndexed(sql`status`, status)}
        and deleted_at is null ${inOrderOf(sql`status`, sql`id`)}
    )`

/**
 * The condition that names rows `r` by their keys, for a statement that changes them. They are held already by this
 * transaction, so their places stay what they are.
 */
export const heldRows = (table: string, companyId: number, ids: readonly number[]): Sql =>
  eitherSql(
    sql`r.ctid = any (array(select r.ctid from ${byKeys(table, companyId, ids)}))`,
    () => sql`r.company_id = ${companyId} and r.id = any (${ids}::bigint[])`,
  )

/**
 * The condition that names the rows of a table that `which` finds, for a statement that changes them. Their places stay what
 * they are because nobody else changes them. Where companies are distributed they are named by `key`.
 */
export const rowsOf = (table: string, companyId: number, key: string, which: Sql): Sql =>
  eitherSql(
    sql`ctid = any (array(select ctid from ${identifier(table)} where ${which}))`,
    () => sql`company_id = ${companyId} and ${identifier(key)} in (
      select ${raw(key.replaceAll(/[()]/g, ''))} from ${identifier(table)} where ${which}
    )`,
  )

/** The column has the value, said so that an index which is asked for its order finds it. Nothing equals null. */
export const equalsIndexed = (column: Sql, value: unknown): Sql =>
  sql`${column} between ${value as Sql} and ${value as Sql}`

/** The live record of a company whose column of text has a value, capitals apart: an index keeps it unique. */
export const liveNamed = (
  columns: string,
  table: string,
  companyId: number | Sql,
  [column, value]: [string, string],
): Sql => {
  const named = sql`lower(${identifier(column)})`
  return sql`select ${raw(columns)} from ${identifier(table)}
    where company_id = ${companyId} and ${equalsIndexed(named, sql`lower(${value}::text)`)} and deleted_at is null
    ${inOrderOf(named)}`
}

/** A fence behind rows in the order of an index. */
export const inOrderOf = (...columns: Sql[]): Sql => sql`order by ${join(columns)} offset 0`
