import { join, raw, type Sql } from 'sql-template-tag'
import { sql } from './statement.ts'

/** JSON as PostgreSQL writes a row and Node an object: without the blanks of `json_build_object`. */

/** Returns an expression for an object. The names are constants of ours. */
export const jsonObject = (members: { readonly [name: string]: Sql }): Sql => {
  const texts = Object.entries(members).map(([name, value]) => sql`${raw(`'"${name}":'`)} || ${textOf(value)}`)
  return sql`('{' || ${join(texts, ` || ',' || `)} || '}')::json`
}

/** Returns an expression for a list. */
export const jsonArray = (items: readonly Sql[]): Sql =>
  sql`('[' || ${join(items.map(textOf), ` || ',' || `)} || ']')::json`

const textOf = (value: Sql): Sql => sql`coalesce(to_json(${value})::text, 'null')`
