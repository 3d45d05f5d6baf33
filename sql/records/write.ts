import { join, raw } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { byKey } from '../access.ts'
import type { Author, LogAuthor } from '../author.ts'
import { insertAgainThere, insertThere, oneRecord, updateThere } from '../citus/records.ts'
import { identifier, type Statement, sql, statement } from '../statement.ts'
import { logged } from '../system/log.ts'
import { slotsTaken, takeSlots } from '../system/quota.ts'
import { changeRowCount } from '../system/row-counts.ts'
import { columnsOf } from './columns.ts'
import { resourceOf } from './shown.ts'

/** What a write leaves behind. */
export type WrittenRow = { id: number; version: number; json: string }

/**
 * Inserts a record, with its history and row count. Where the plan has a limit a quota slot is taken in the same statement: no slot, no
 * record, and no row comes back.
 */
export function insertRecord(
  author: Author,
  definition: Definition,
  record: JsonObject,
  planLimit: number | null,
): Statement {
  const columns = columnsOf(definition).filter(([, field]) => field.kind !== 'id' && field.kind !== 'instant')
  const names = columns.map(([name]) => identifier(name))
  const values = columns.map(([name, field]) => parameter(field, record[name] ?? null))
  const resource = resourceOf(author, definition)
  return statement(
    sql`with ${planLimit === null ? sql`` : sql`place as (${slotsTaken(author.companyId, definition.name, planLimit, 1)}), `}r as (
      insert into ${identifier(definition.name)} (company_id, ${join(names)})
      select ${author.companyId}::bigint, ${join(values)}
      ${planLimit === null ? sql`` : sql`where exists (select from place)`}
      returning *
    ), tallied as (${changeRowCount(definition.name, 1)}
    ), logged as (${logged(author, { records: definition.name, action: 'created' }, sql`select id, version, null::json, null::json from r`)})
    select r.id, r.version, ${resource.json} as json from r`,
    planLimit === null ? `${definition.name}.insert` : `${definition.name}.insert-in-quota`,
    insertThere(
      author,
      resource,
      oneRecord(author.companyId, names, values),
      planLimit === null ? null : takeSlots(author.companyId, definition.name, planLimit, 1),
    ),
  )
}

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

/** Writes the changed columns alone, so that two callers who change different ones both keep what they wrote. */
export function updateRecord(
  author: LogAuthor,
  definition: Definition,
  id: number,
  changed: JsonObject,
  changes: JsonObject,
): Statement {
  const resource = resourceOf(author, definition)
  const assignments = Object.entries(changed).map(
    ([name, value]) => sql`${identifier(name)} = ${parameter(definition.fields[name] as Field, value)}`,
  )
  const update = sql`update ${identifier(definition.name)} set ${join(assignments)}, version = version + 1, updated_at = now()
      where company_id = ${author.companyId} and id = ${id}`
  return statement(
    sql`with r as (
      ${update}
      returning *
    ), logged as (${logged(
      author,
      { records: definition.name, action: 'changed' },
      sql`select id, version, ${JSON.stringify(changes)}::json, null::json from r`,
    )})
    select r.id, r.version, ${resource.json} as json from r`,
    // Any choice of columns can come; only those of which there are few are prepared.
    assignments.length <= 2 ? `${definition.name}.update:${shapeOf(definition, Object.keys(changed))}` : undefined,
    updateThere(author, resource, new Map([[id, changes]]), update),
  )
}

/** Which of a resource's fields a statement is about, as a short name: a bit for each, in hexadecimal. */
const shapeOf = (definition: Definition, fields: readonly string[]): string =>
  Object.keys(definition.fields)
    .reduce((bits, name, index) => (fields.includes(name) ? bits | (1n << BigInt(index)) : bits), 0n)
    .toString(16)

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

/** The next running number of a resource. The row stays locked until the transaction ends. */
export const nextNumber = (companyId: number, records: string): Statement =>
  statement(
    sql`insert into numbers (company_id, records, last) values (${companyId}, ${records}, 1)
    on conflict (company_id, records) do update set last = numbers.last + 1
    returning last`,
    'numbers.next',
  )

/** The value as a parameter of its column's type. */
function parameter(field: Field, value: Json) {
  const type = kindOf(field).column(field)
  return sql`${type === 'json' && value !== null ? JSON.stringify(value) : value}::${raw(type)}`
}
