import { join, raw, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { idMax } from '#registry/limits.ts'
import { byKey, equalsIndexed } from '../access.ts'
import { query, type Statement, sql } from '../statement.ts'
import { currencyOf, recordJson } from './record-json.ts'

/** The changes of one write in the log: inside the transaction that writes, and at any time after. */

export type WrittenChange = {
  id: number
  records: string
  record_id: number
  action: 'created' | 'changed' | 'deleted' | 'erased' | 'restored'
  /** The version of the record after the change. */
  version: number
  changes: { [field: string]: [JsonObject[string], JsonObject[string]] } | null
  removal_id: number | null
}

/** A change of a write. A created record has its current state. */
export type PlannedRow = WrittenChange & { record: JsonObject | null }

/** Reads the changes of a write after one of its changes, in order. */
export const plannedBy = (
  definitions: readonly Definition[],
  companyId: number,
  { writeId, after }: { writeId: string; after: number },
): Statement =>
  query('history.planned')`
    select ${columns}, case when h.action = 'created' then ${recordNow(definitions, companyId)} end as record
    from (${ofWrite(companyId, writeId)} and id > ${after} order by write_id, id offset 0) h`

/** A change of a write to be undone, and the token of its author. */
export type UndoRow = WrittenChange & { token_id: number | null; held: JsonObject | null }

/** Reads the changes of a write, the newest first. An erased record has its last state. */
export const changesOfWrite = (companyId: number, writeId: string): Statement =>
  query('history.of-write')`select ${columns}, h.token_id, case when h.action = 'erased' then h.held end as held
    from (${ofWrite(companyId, writeId)} order by write_id desc, id desc offset 0) h`

/** Reads the fields of a record that have changed after a version. */
export const changedSince = (companyId: number, records: string, id: number, version: number): Statement =>
  query('history.changed-since')`select distinct field from (
      select changes from history
      where company_id = ${companyId} and records = ${records} and ${equalsIndexed(sql`record_id`, id)}
        and version > ${version} and action = 'changed'
      order by record_id desc, id desc limit 100
    ) h cross join lateral json_object_keys(h.changes) field`

/** Reads and locks from where on the changes of a write are undone. Concurrent undos of one write run in turn. */
export const holdUndo = (companyId: number, writeId: string): Statement =>
  query('undos.hold')`
    insert into undos as u (company_id, write_id, undone_from) values (${companyId}, ${writeId}, ${idMax}::bigint)
    on conflict (company_id, write_id) do update set at = u.at
    returning undone_from`

export const moveUndo = (companyId: number, writeId: string, undoneFrom: number): Statement =>
  query('undos.move')`
    update undos set undone_from = ${undoneFrom}, at = now() where company_id = ${companyId} and write_id = ${writeId}`

/** Returns the current state of the record of a change `h`; null if it is deleted. */
export function recordNow(definitions: readonly Definition[], companyId: number): Sql {
  const live = definitions.map(
    (definition) => sql`when ${raw(`'${definition.name}'`)} then (
          select ${recordJson(definition, currencyOf(companyId))}::json
          from ${byKey(definition.name, companyId, raw('h.record_id'))} r where r.deleted_at is null
        )`,
  )
  return sql`case h.records ${join(live, ' ')} end`
}

const columns = raw('h.id, h.records, h.record_id, h.action, h.version, h.changes, h.removal_id')

const ofWrite = (companyId: number, writeId: string): Sql =>
  sql`select * from history where company_id = ${companyId} and ${equalsIndexed(sql`write_id`, sql`${writeId}::uuid`)}`
