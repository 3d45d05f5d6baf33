import { join } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { byKeys, liveNamed } from '../access.ts'
import { identifier, query, type Statement, sql } from '../statement.ts'
import { lookedUp } from './prefetch.ts'

/** Look-ups and locks for the records of a set, in one statement. */

/** Reads records without a lock, live or not, with the fields that decide their locks: references and unique values. */
export const seenRecords = (companyId: number, definition: Definition, ids: readonly number[]): Statement => {
  const names = ['id', ...lookedUp(definition)].map((name) => identifier(`r.${name}`))
  return query(`${definition.name}.seen`)`
    select ${join(names)} from ${byKeys(definition.name, companyId, ids)}`
}

export type HolderRow = { place: number; holder: number | null }

/** Reads which live record has each value of a unique field. */
export function holdersOf(
  companyId: number,
  { name }: Definition,
  field: string,
  values: readonly (string | null)[],
): Statement {
  return query(`${name}.${field}.holders`)`select given.place, (
      ${liveNamed('id', name, companyId, [field, sql`given.value`])}
    ) as holder
    from unnest(${values}::text[]) with ordinality given (value, place) where given.value is not null`
}

/** Draws running numbers for the caller. Returns the last of them. */
export const nextNumbers = (companyId: number, records: string, count: number): Statement =>
  query('numbers.take')`insert into numbers (company_id, records, last) values (${companyId}, ${records}, ${count}::int)
    on conflict (company_id, records) do update set last = numbers.last + excluded.last
    returning last`

/** Creates missing rows of running numbers, in the order of their names, and locks them. */
export const holdNumbers = (companyId: number, records: readonly string[]): Statement =>
  query('numbers.hold')`insert into numbers (company_id, records, last)
    select c.id, records, 0 from companies c cross join unnest(${records}::text[]) records where c.id = ${companyId}
    on conflict (company_id, records) do update set last = numbers.last`

/** Locks the row counts that the plan limits, in the order of their names. */
export const holdSlots = (companyId: number, records: readonly string[]): Statement =>
  query('plan.hold-slots')`select count(*) from unnest(${records}::text[]) wanted (records) cross join lateral (
      select from plan_usage where company_id = ${companyId} and records = wanted.records for no key update offset 0
    ) held`
