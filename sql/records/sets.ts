import { join, raw, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { JsonObject } from '#registry/json.ts'
import { byKeys, exactly, inOrderOf } from '../access.ts'
import type { Author, LogAuthor, Origin } from '../author.ts'
import { insertThere, updateThere } from '../citus/records.ts'
import { identifier, type Statement, sql, statement } from '../statement.ts'
import { logged } from '../system/log.ts'
import { columnsOf, uniqueFields } from './columns.ts'
import { referencesInOrder } from './lock-order.ts'
import { resourceOf } from './shown.ts'

/** Records of one resource, one or many, in one statement. */

export type HeldRow = { id: number; version: number; json: string }

/** The unlocked records, live or not, as far as is needed to know what their locks are: references and unique values. */
export const seenRecords = (companyId: number, definition: Definition, ids: readonly number[]): Statement => {
  const names = [...referencesInOrder(definition).map(([field]) => field), ...uniqueFields(definition)]
  return statement(
    sql`select ${join(['id', ...names].map((name) => identifier(`r.${name}`)))} from ${byKeys(definition.name, companyId, ids)}`,
    `${definition.name}.seen`,
  )
}

export type HolderRow = { place: number; key: string; holder: number | null }

/** Which live record has each value of a unique field; `key` is the same for values that count as one. */
export function holdersOf(
  companyId: number,
  { name }: Definition,
  field: string,
  values: readonly (string | null)[],
): Statement {
  const key = sql`lower(r.${identifier(field)})`
  return statement(
    sql`select given.place, lower(given.value) as key, (
      select r.id from ${identifier(name)} r
      where r.company_id = ${companyId} and ${exactly(key, sql`lower(given.value)`)} and r.deleted_at is null
      ${inOrderOf(key)}
    ) as holder
    from unnest(${values}::text[]) with ordinality given (value, place) where given.value is not null`,
    `${name}.${field}.holders`,
  )
}

/** The last of so many running numbers, which are the caller's now. */
export const nextNumbers = (companyId: number, records: string, count: number): Statement =>
  statement(
    sql`insert into numbers (company_id, records, last) values (${companyId}, ${records}, ${count}::int)
    on conflict (company_id, records) do update set last = numbers.last + excluded.last
    returning last`,
    'numbers.take',
  )

/** Makes sure of the rows of running numbers, in the order of their names, and locks them. */
export const holdNumbers = (companyId: number, records: readonly string[]): Statement =>
  statement(
    sql`insert into numbers (company_id, records, last)
    select c.id, records, 0 from companies c cross join unnest(${records}::text[]) records where c.id = ${companyId}
    on conflict (company_id, records) do update set last = numbers.last`,
    'numbers.hold',
  )

/** Holds the row counts that the plan limits, in the order of their names. */
export const holdSlots = (companyId: number, records: readonly string[]): Statement =>
  statement(
    sql`select count(*) from unnest(${records}::text[]) wanted (records) cross join lateral (
      select from plan_usage where company_id = ${companyId} and records = wanted.records for no key update offset 0
    ) held`,
    'plan.hold-slots',
  )

/** A record that is to be inserted, and the call that it comes from. */
export type NewRecord = { by: Origin; values: JsonObject }

/** The columns of a source of rows that have the origin of each, and what fills them. */
const originColumns = '__write_id uuid, __request_id text, __key text'
const originIn = (source: string): Sql => raw(`${source}.__write_id, ${source}.__request_id, ${source}.__key`)
const withOrigin = ({ writeId, requestId, idempotencyKey }: Origin): JsonObject => ({
  ...{ __write_id: writeId, __request_id: requestId ?? null, __key: idempotencyKey ?? null },
})

/** Inserts records, with their history and row count. Their ids rise in the order in which they are given. */
export function insertRecords(author: Author, definition: Definition, records: readonly NewRecord[]): Statement {
  const { name } = definition
  const resource = resourceOf(author, definition)
  const columns = columnsOf(definition).filter(([, field]) => field.kind !== 'id' && field.kind !== 'instant')
  const names = join(columns.map(([column]) => identifier(column)))
  const given = records.map(({ by, values }) => ({
    ...Object.fromEntries(columns.map(([column]) => [column, values[column] ?? null])),
    ...withOrigin(by),
  }))
  const source = (
    ids: readonly number[],
  ): Sql => sql`select c.id, ${join(columns.map(([column]) => identifier(`given.${column}`)))}, given.__id
    from companies c cross join json_to_recordset(${JSON.stringify(given.map((record, index) => ({ ...record, __id: ids[index] })))}::json)
      as given (__id bigint, ${typed(columns)}) where c.id = ${author.companyId}`
  return statement(
    sql`with given as materialized (
      select nextval(${raw(`'${name}_id_seq'`)}) as id, given.*
      from json_to_recordset(${JSON.stringify(given)}::json) as given (${raw(originColumns)}, ${typed(columns)})
    ), r as (
      insert into ${identifier(name)} (company_id, id, ${names}) select ${author.companyId}::bigint, id, ${names} from given
      returning *
    ), counted as (
      insert into tally_changes (company_id, records, change)
      select ${author.companyId}::bigint, ${raw(`'${name}'`)}, count(*) from r
    ), logged as (${logged(
      author,
      { records: name, action: 'created', hasOrigins: true },
      sql`select r.id, r.version, null::json, null::json, ${originIn('given')} from r join given on given.id = r.id`,
    )})
    select r.id, r.version, ${resource.json} as json from r`,
    `${name}.insert-set`,
    insertThere(author, resource, { columns: names, source, origins: records.map(({ by }) => by) }),
  )
}

/** What a write leaves behind. */
export type WrittenRow = { id: number; version: number; json: string }

export type UpdateOfSet = { id: number; by: Origin; values: JsonObject; changes: JsonObject }

/** Updates the `names` of records that this transaction holds. What one does not change is written as it is. */
export function updateHeld(
  author: LogAuthor,
  definition: Definition,
  updates: readonly UpdateOfSet[],
  names: readonly string[],
): Statement {
  const { name } = definition
  const resource = resourceOf(author, definition)
  const columns = columnsOf(definition).filter(([column]) => names.includes(column))
  const given = updates.map(({ id, by, values, changes }) => ({
    __id: id,
    __changes: changes,
    ...withOrigin(by),
    ...values,
  }))
  const assignments = columns.map(([column]) => sql`${identifier(column)} = ${identifier(`given.${column}`)}`)
  return statement(
    sql`with given as materialized (
      select held.place as __place, given.* from json_to_recordset(${JSON.stringify(given)}::json)
        as given (__id bigint, __changes json, ${raw(originColumns)}, ${typed(columns)})
      cross join lateral (
        select ctid as place from ${identifier(name)} where company_id = ${author.companyId} and id = given.__id offset 0
      ) held
    ), r as (
      update ${identifier(name)} r set ${join(assignments)}, version = version + 1, updated_at = now()
      from given where r.ctid = given.__place
      returning r.*, given.__changes, ${originIn('given')}
    ), logged as (${logged(
      author,
      { records: name, action: 'changed', hasOrigins: true },
      sql`select id, version, __changes, null::json, ${originIn('r')} from r`,
    )})
    select r.id, r.version, ${resource.json} as json from r`,
    // Any choice of columns can come; only those of which there are few are prepared.
    names.length <= 2 ? `${name}.update:${shapeOf(definition, names)}` : undefined,
    updateThere(
      author,
      resource,
      updates,
      sql`update ${identifier(name)} r set ${join(assignments)}, version = version + 1, updated_at = now()
      from json_to_recordset(${JSON.stringify(given)}::json) as given (__id bigint, __changes json, ${typed(columns)})
      where r.company_id = ${author.companyId} and r.id = given.__id`,
    ),
  )
}

/** Which of a resource's fields a statement is about, as a short name: a bit for each, in hexadecimal. */
const shapeOf = (definition: Definition, fields: readonly string[]): string =>
  Object.keys(definition.fields)
    .reduce((bits, name, index) => (fields.includes(name) ? bits | (1n << BigInt(index)) : bits), 0n)
    .toString(16)

const typed = (columns: readonly [string, Field][]): Sql =>
  raw(columns.map(([column, field]) => `${column} ${kindOf(field).column(field)}`).join(', '))
