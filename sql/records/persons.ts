import { join, raw, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { kindOf } from '#registry/fields/index.ts'
import type { JsonObject } from '#registry/json.ts'
import { byKey, equalsIndexed, heldRows, inOrderOf, rowsOf } from '../access.ts'
import { identifier, instant, query, type Statement, sql, statement } from '../statement.ts'
import { columnsOf } from './columns.ts'
import { currencyOf, recordJson } from './record-json.ts'

/** The data of a person in records and history, and its erasure. Decisions, Persons. */

export type PersonRow = { version: number; json: string; deleted_at: string | null }

/** Locks a record, live or deleted, as strongly as a removal does. */
export const lockPerson = (companyId: number, definition: Definition, id: number): Statement =>
  query(`${definition.name}.lock-person`)`
    select r.version, ${recordJson(definition, currencyOf(companyId))} as json, ${instant('r.deleted_at')} as deleted_at
    from ${byKey(definition.name, companyId, id, 'for update')} r`

export const findPersons = (companyId: number, definition: Definition, ids: readonly number[]): Statement =>
  query(`${definition.name}.find-persons`)`
    select r.version, ${recordJson(definition, currencyOf(companyId))} as json, ${instant('r.deleted_at')} as deleted_at
    from (select distinct id from unnest(${ids}::bigint[]) id) wanted
    cross join lateral ${byKey(definition.name, companyId, raw('wanted.id'))} r`

export type PersonHistoryRow = {
  id: number
  at: string
  action: string
  version: number | null
  changes: { readonly [field: string]: readonly [unknown, unknown] } | null
  held: { readonly [field: string]: unknown } | null
  account_id: number | null
  door: string
}

const ofRecord = (companyId: number, records: string, id: number): Sql =>
  sql`company_id = ${companyId} and records = ${records} and ${equalsIndexed(sql`record_id`, id)}`

/** Reads all changes of a record with their values, oldest first. */
export const historyOfPerson = (companyId: number, records: string, id: number): Statement =>
  query('persons.history')`select id, ${instant('at')} as at, action, version, changes, held, account_id, door from (
      select * from history where ${ofRecord(companyId, records, id)} ${inOrderOf(sql`record_id`, sql`id`)}
    ) h order by id`

/**
 * Removes the values of fields from the history of a record. The entry of a deletion gets those of an erased person. A
 * change keeps only the names of its fields.
 */
export function eraseHistory(companyId: number, records: string, id: number, erased: JsonObject): Statement {
  const fields = Object.keys(erased)
  const changes = replaceMembers('h.changes', fields, sql`'[null,null]'`)
  const held = replaceMembers('h.held', fields, sql`(${JSON.stringify(erased)}::json -> key)::text`)
  return query('persons.erase-history')`update history h set changes = ${changes}, held = ${held}
    where ${rowsOf('history', companyId, 'id', sql`${ofRecord(companyId, records, id)} ${inOrderOf(sql`record_id`, sql`id`)}`)}`
}

/** Returns a JSON object with its members in their order, some with another value, which may depend on their `key`. */
const replaceMembers = (column: string, fields: readonly string[], value: Sql): Sql =>
  sql`case when json_typeof(${raw(column)}) = 'object' then (
      select '{' || coalesce(string_agg(
        to_json(key)::text || ':' || case when key = any (${fields}::text[]) then ${value} else value::text end,
        ',' order by place), '') || '}'
      from json_each(${raw(column)}) with ordinality as member (key, value, place)
    )::json else ${raw(column)} end`

export type PersonRemovalRow = { id: number; at: string; title: string; mode: string; restored_at: string | null }

/** Reads the deletions that began with a record. */
export const removalsOfPerson = (companyId: number, records: string, id: number): Statement =>
  query('persons.removals')`select id, ${instant('at')} as at, title, mode, ${instant('restored_at')} as restored_at
    from (select * from removals where company_id = ${companyId} ${inOrderOf(sql`id`)}) r
    where records = ${records} and record_id = ${id} order by id`

export const renameRemovals = (companyId: number, ids: readonly number[], title: string): Statement =>
  query('persons.rename-removals')`update removals r set title = ${title} where ${heldRows('removals', companyId, ids)}`

/** Selects the records of a company, also deleted ones. */
const allOf = (table: string, companyId: number): Sql =>
  sql`(select * from ${identifier(table)} where company_id = ${companyId} ${inOrderOf(sql`id`)})`

/** Reads the ids of the records that refer to a record by a field, also of deleted ones. */
export const referringTo = (companyId: number, records: string, field: string, id: number): Statement =>
  query(`${records}.referring.${field}`)`select id, deleted_at is null as live from ${allOf(records, companyId)} r
    where ${identifier(field)} = ${id} order by id`

/**
 * Reads records of a resource, also deleted ones, with one of these texts in a text field. Capitals and accents do not
 * count.
 */
export const recordsWithText = (
  companyId: number,
  definition: Definition,
  texts: readonly string[],
  most: number,
): Statement => {
  const fields = columnsOf(definition).filter(([, field]) => ['text', 'json'].includes(kindOf(field).column(field)))
  const columns = fields.map(([name]) => sql`r.${identifier(name)}::text`)
  return statement(
    sql`select r.id from ${allOf(definition.name, companyId)} r
    where folded(concat_ws(E'\\n', ${join(columns)})) like any (array(select containing(part) from unnest(${texts}::text[]) part))
    order by r.id limit ${most}`,
  )
}
