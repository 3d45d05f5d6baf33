import { join, raw } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { byKey } from '../access.ts'
import type { Author } from '../author.ts'
import { insertAgainThere } from '../citus/records.ts'
import { identifier, type Statement, sql, statement } from '../statement.ts'
import { logged } from '../system/log.ts'
import { changeRowCount } from '../system/row-counts.ts'
import { columnsOf } from './columns.ts'

/** Inserts a record that was erased, under the id that it had, as a newer version. */
export function insertAgain(
  author: Author,
  definition: Definition,
  record: JsonObject,
  { version, removalId }: { version: number; removalId: number },
): Statement {
  const columns = columnsOf(definition).filter(([name]) => name !== 'updated_at')
  const into = sql`insert into ${identifier(definition.name)} (company_id, version, ${join(columns.map(([name]) => identifier(name)))})`
  const values = sql`${author.companyId}::bigint, ${version}::integer, ${join(columns.map(([name, field]) => parameter(field, record[name] ?? null)))}`
  return statement(
    sql`with r as (
      ${into}
      select ${values}
      returning *
    ), tallied as (${changeRowCount(definition.name, 1)}
    ) ${logged(
      author,
      { records: definition.name, action: 'restored', removalId },
      sql`select id, version, null::json, null::json from r`,
    )}`,
    `${definition.name}.insert-again`,
    insertAgainThere(author, definition.name, {
      id: record.id as number,
      insert: sql`${into} values (${values})`,
      removalId,
    }),
  )
}

/** One writer at a time may re-hang the tree of a reference; two at once could close a circle that neither sees. */
export const lockTree = (companyId: number, table: string, field: string): Statement =>
  statement(
    sql`select pg_advisory_xact_lock(hashtext(${`${table}.${field}`}), ${companyId % 2 ** 31}::int)`,
    'tree.lock',
  )

/** Whether following `field` from the record `from` leads to the record `to`. */
export const leadsTo = (companyId: number, table: string, field: string, from: number, to: number): Statement =>
  statement(
    sql`with recursive chain as (
      select id, ${identifier(field)} as next from ${byKey(table, companyId, from)} r
      union
      select r.id, r.${identifier(field)} from chain cross join lateral ${byKey(table, companyId, raw('chain.next'))} r
    ) select exists (select from chain where id = ${to}) as leads`,
    `${table}.${field}.leads`,
  )

/** The value as a parameter of its column's type. */
function parameter(field: Field, value: Json) {
  const type = kindOf(field).column(field)
  return sql`${type === 'json' && value !== null ? JSON.stringify(value) : value}::${raw(type)}`
}
