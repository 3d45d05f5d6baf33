import { join, raw, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { byKey, exactly } from '../access.ts'
import { type Statement, sql, statement } from '../statement.ts'
import { currencyOf, shown } from './shown.ts'

/** What one write changed, as the log has it: inside the transaction that writes, and at any time after. */

export type WrittenChange = {
  id: number
  records: string
  record_id: number
  action: 'created' | 'changed' | 'deleted' | 'erased' | 'restored'
  /** Of the record, once it was changed. */
  version: number
  changes: { [field: string]: [JsonObject[string], JsonObject[string]] } | null
  removal_id: number | null
}

/** What a write has created is shown as it is now. */
export type PlannedRow = WrittenChange & { record: JsonObject | null }

/** What a write has changed so far, in that order. */
export const plannedBy = (definitions: readonly Definition[], companyId: number, writeId: string): Statement =>
  statement(
    sql`select ${columns}, case when h.action = 'created' then ${recordNow(definitions, companyId)} end as record
    from (${ofWrite(companyId, writeId)} order by write_id, id offset 0) h`,
    'history.planned',
  )

/** The record that a change `h` was about, as it is now; null where it is gone. */
export function recordNow(definitions: readonly Definition[], companyId: number): Sql {
  const live = definitions.map(
    (definition) => sql`when ${raw(`'${definition.name}'`)} then (
          select ${shown(definition, currencyOf(companyId))}::json
          from ${byKey(definition.name, companyId, raw('h.record_id'))} r where r.deleted_at is null
        )`,
  )
  return sql`case h.records ${join(live, ' ')} end`
}

const columns = raw('h.id, h.records, h.record_id, h.action, h.version, h.changes, h.removal_id')

const ofWrite = (companyId: number, writeId: string): Sql =>
  sql`select * from history where company_id = ${companyId} and ${exactly(sql`write_id`, sql`${writeId}::uuid`)}`
