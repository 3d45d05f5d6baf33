import { join, raw, type Sql } from 'sql-template-tag'
import type { Definition, Sum } from '#registry/definition.ts'
import { kindOf } from '#registry/fields/index.ts'
import type { Json } from '#registry/json.ts'
import { byKeys, equalsIndexed, inOrderOf, liveOf } from '../access.ts'
import { identifier, jsonObject, prepareStatement, query, type Statement, sql } from '../statement.ts'
import { shapeOf } from './columns.ts'
import { matchConditions } from './lock-order.ts'
import { currencyOf, recordJson } from './record-json.ts'

/**
 * Sums over the records that refer to a record, by the index of the reference. They are read when they are needed, all
 * of a record by one statement, and stored nowhere.
 */

/** A row of sums by their names. */
export type SumsRow = { place: number; sums: { [name: string]: number } }

/** The values that decide the sums of a record: its id (null if it is new), and the fields that the sums compare. */
export type SummedRecord = { readonly [field: string]: Json }

/** Reads sums of records as they would be. */
export function sumsOfValues(
  companyId: number,
  definition: Definition,
  names: readonly string[],
  records: readonly SummedRecord[],
): Statement {
  const rows = JSON.stringify(records.map((record, place) => ({ ...record, place })))
  return prepareStatement(
    definition,
    `${definition.name}.sums-of:${shapeOf(namesOf(definition), names)}`,
    { companyId, rows },
    (given) => {
      const types = comparedFields(definition, names).map((name) => `${name} ${columnType(definition, name)}`)
      return sql`select r.place, ${sumsJson(given.companyId, definition, names)} as sums
    from json_to_recordset(${given.rows}::json) as r (place int, ${raw(types.join(', '))})`
    },
  )
}

/** A stored record, with sums of it. */
export type StoredSumsRow = { id: number; version: number; json: string; sums: { [name: string]: number } }

/** Reads live records with sums of them. */
export const sumsOfRecords = (
  companyId: number,
  definition: Definition,
  names: readonly string[],
  ids: readonly number[],
): Statement =>
  prepareStatement(
    definition,
    `${definition.name}.sums:${shapeOf(namesOf(definition), names)}`,
    { companyId, ids },
    (given) => sql`
    select r.id, r.version, ${recordJson(definition, currencyOf(given.companyId))} as json,
      ${sumsJson(given.companyId, definition, names)} as sums
    from ${byKeys(definition.name, given.companyId, given.ids)} where r.deleted_at is null`,
  )

/** A record that loses money: its sums that count as income and as cost. `count` is the number of all such records. */
export type LosingRow = {
  id: number
  title: string
  income_minor: number
  cost_minor: number
  budget_minor: number | null
  count: number
}

/**
 * Reads the records in some states that cost more than their budget or bring in less than they cost, those that lose most
 * first. It reads all that is added up for the company.
 */
export function losingRecords(
  companyId: number,
  definition: Definition,
  { states, most }: { states: readonly string[]; most: number },
): Statement {
  const { name, title, sums = {}, budget } = definition
  const total = (side: Sum['counts']): Sql => {
    const some = Object.values(sums).filter(({ counts }) => counts === side)
    return some.length === 0
      ? raw('0')
      : join(
          some.map((sum) => sumOf(sql`${companyId}`, name, sum)),
          ' + ',
        )
  }
  const made = query(`${name}.losing`)`
    select *, count(*) over () as count from (
      select r.id, r.${identifier(title)} as title, ${total('in')} as income_minor, ${total('out')} as cost_minor,
        ${budget ? raw(`r.${budget}`) : raw('null::bigint')} as budget_minor
      from ${liveOf(name, companyId)} r where r.status = any (${[...states]}::text[]) ${inOrderOf(sql`r.id`)}
    ) r where cost_minor > budget_minor or income_minor < cost_minor
    order by income_minor - cost_minor, id limit ${most}`
  return { ...made, heavyOf: companyId }
}

const namesOf = ({ sums = {} }: Definition): string[] => Object.keys(sums)

/** Returns the fields of a record that these sums compare, its id first. */
export const comparedFields = ({ sums = {} }: Definition, names: readonly string[]): string[] => [
  ...new Set(['id', ...names.flatMap((name) => Object.values(sums[name]?.by ?? {}))]),
]

function columnType({ fields }: Definition, name: string): string {
  const field = fields[name]
  if (!field) throw new Error(`a sum compares ${name}, which is no field`)
  return kindOf(field).column(field)
}

/** Returns an object with sums of the record `r`. */
const sumsJson = (companyId: Sql, { sums = {}, name: records }: Definition, names: readonly string[]): Sql =>
  names.length === 0
    ? sql`'{}'::json`
    : jsonObject(Object.fromEntries(names.map((name) => [name, sumOf(companyId, records, sums[name] as Sum)])))

/** Returns a sum of the record `r`: 0 if nothing is added. The first of its columns has the index that it is read by. */
function sumOf(companyId: Sql, records: string, { of, by, add, less = [], when, except }: Sum): Sql {
  const [[reference, ours], ...others] = Object.entries(by) as [[string, string], ...[string, string][]]
  const column = (name: string): Sql => raw(`s.${name}`)
  const amount = (name: string): Sql => sql`coalesce(${column(name)}, 0)`
  const amounts = [join(add.map(amount), ' + '), ...less.map(amount)]
  const conditions = [
    ...others.map(([theirs, own]) => sql`${column(theirs)} = r.${identifier(own)}`),
    ...(when ? [matchConditions(when, 's')] : []),
    ...(except ? [sql`not (${matchConditions(except, 's')})`] : []),
    ...(of === records ? [sql`s.id is distinct from r.id`] : []),
  ]
  return sql`(select coalesce(sum(${join(amounts, ' - ')}), 0) from (
        select * from ${identifier(of)}
        where company_id = ${companyId} and ${equalsIndexed(identifier(reference), sql`r.${identifier(ours)}`)} and deleted_at is null
        ${inOrderOf(identifier(reference), sql`id`)}
      ) s${conditions.length > 0 ? sql` where ${join(conditions, ' and ')}` : sql``})`
}
