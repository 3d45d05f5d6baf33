import { join, raw, type Sql } from 'sql-template-tag'
import { eitherSql, identifier, sql } from './statement.ts'

/**
 * Ways to a row, each of which one index alone can serve. A new database has no statistics, so the planner cannot tell
 * the indexes of its tables apart. A plan made then is kept as long as its connection. So the text of a statement
 * leaves no choice:
 *
 * - A look-up by key does not mention `deleted_at`, and stands behind a fence (`offset 0`) that no condition passes.
 *   Every index but the primary key has live records only, and cannot serve such a statement.
 * - For any other index the condition is a range with one value, in the order of that index. Equality would make the
 *   order void. With a range only that index has it, and the session avoids sorting (`enable_sort`).
 *
 * Decisions, Queries.
 */

/** Selects a record by its key, live or not, as a source of rows; `lock` as in `for update`. */
export const byKey = (table: string, companyId: number | Sql, id: number | Sql, lock = ''): Sql =>
  sql`(select * from ${identifier(table)} where company_id = ${companyId} and id = ${id} ${raw(lock)} offset 0)`

export const companyRow = (id: number | Sql): Sql => sql`(select * from companies where id = ${id} offset 0)`

/** Selects records by their keys, each once, as the source of rows `r`. They are locked in the order of their ids. */
export const byKeys = (table: string, companyId: number | Sql, ids: readonly number[] | Sql, lock = ''): Sql =>
  sql`(select distinct id from unnest(${ids}::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from ${identifier(table)} where company_id = ${companyId} and id = wanted.id ${raw(lock)} offset 0
    ) r`

/** Selects the live records of a company, in the order of their ids. */
export const liveOf = (table: string, companyId: number): Sql =>
  sql`(select * from ${identifier(table)} r where company_id = ${companyId} and deleted_at is null ${inOrderOf(sql`id`)})`

/** Selects the live records of a company in one state. */
export const inState = (table: string, companyId: number, status: string): Sql => sql`(
      select * from ${identifier(table)} where company_id = ${companyId} and ${equalsIndexed(sql`status`, status)}
        and deleted_at is null ${inOrderOf(sql`status`, sql`id`)}
    )`

/**
 * Returns the condition that names rows `r` by their keys, or those among them that meet `only`, for a statement that
 * changes them. This transaction has locked them already, so their places (`ctid`) stay the same.
 */
export const heldRows = (table: string, companyId: number, ids: readonly number[], only?: Sql): Sql =>
  eitherSql(
    sql`r.ctid = any (array(select r.ctid from ${byKeys(table, companyId, ids)}${only ? sql` where ${only}` : sql``}))`,
    () => sql`r.company_id = ${companyId} and r.id = any (${ids}::bigint[])${only ? sql` and (${only})` : sql``}`,
  )

/**
 * Returns the condition that names the rows found by `which`, for a statement that changes them. Their places (`ctid`)
 * stay the same because nobody else changes them, and it locks them in the order of their places. Where companies are distributed, `key` names them.
 */
export const rowsOf = (table: string, companyId: number, key: string, which: Sql): Sql =>
  eitherSql(
    sql`ctid = any (array(select ctid from ${identifier(table)} where ${which}))`,
    () => sql`company_id = ${companyId} and ${identifier(key)} in (
      select ${raw(key.replaceAll(/[()]/g, ''))} from ${identifier(table)} where ${which}
    )`,
  )

/**
 * Returns the condition that a column has a value, as a range, so that its index serves the order. Nothing equals null.
 */
export const equalsIndexed = (column: Sql, value: unknown): Sql =>
  sql`${column} between ${value as Sql} and ${value as Sql}`

/** Returns the expression for the key of a text, which equal texts share, in the collation of the indexes. */
export const equalKey = (value: Sql): Sql => sql`(equal_key(${value}) collate "C")`

/**
 * Selects the live record of a company whose unique column has a value. Records that an upgrade found equal are told apart
 * by how the value is spelled.
 */
export const liveNamed = (
  columns: string,
  table: string,
  companyId: number | Sql,
  [column, value]: [string, string | Sql],
): Sql => {
  return sql`select ${raw(columns)} from ${liveWith(table, companyId, column, sql`${value}::text`)} named
    order by named.${identifier(column)} = ${value}::text desc limit 1`
}

/** Selects the live records of a company whose unique column has a value: one, unless an upgrade found some equal. */
export function liveWith(table: string, companyId: number | Sql, column: string, value: Sql): Sql {
  const key = equalKey(identifier(column))
  return sql`(select * from ${identifier(table)}
      where company_id = ${companyId} and ${equalsIndexed(key, equalKey(value))} and deleted_at is null ${inOrderOf(key)})`
}

/** Returns a fence behind rows in the order of an index. */
export const inOrderOf = (...columns: Sql[]): Sql => sql`order by ${join(columns)} offset 0`
