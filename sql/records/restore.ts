import { join } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { byKeys, heldRows } from '../access.ts'
import type { Author } from '../author.ts'
import { identifier, query, type Statement, sql, statement } from '../statement.ts'
import { appendRecords } from '../system/log.ts'
import { addToRowCount } from '../system/row-counts.ts'
import type { RemovalRow } from './history.ts'
import { currencyOf, recordJson } from './record-json.ts'

export type HeldRemoval = Pick<RemovalRow, 'id' | 'records' | 'record_id' | 'mode' | 'went' | 'unlinked'> & {
  restored: boolean
}

/** Reads and locks removals in the order of their ids, so that one restore or undo at a time changes them. */
export const removalsById = (companyId: number, ids: readonly number[]): Statement =>
  query('removals.by-id')`
    select r.id, r.records, r.record_id, r.mode, r.went, r.unlinked, r.restored_at is not null as restored
    from ${byKeys('removals', companyId, ids, 'for update')}`

export const markRestored = (companyId: number, id: number): Statement =>
  query('removals.restored')`update removals set restored_at = now() where company_id = ${companyId} and id = ${id}`

export type SoftDeletedRow = { records: string; id: number; json: string }

/** Reads and locks the records that one removal hid, in their last state. */
export const softDeletedBy = (
  companyId: number,
  removalId: number,
  groups: readonly { definition: Definition; ids: readonly number[] }[],
): Statement =>
  statement(
    join(
      groups.map(
        ({
          definition,
          ids,
        }) => sql`(select ${definition.name}::text as records, r.id, ${recordJson(definition, currencyOf(companyId))} as json
    from ${byKeys(definition.name, companyId, ids, 'for update')}
    where r.removal_id = ${removalId} and r.deleted_at is not null)`,
      ),
      '\n    union all ',
    ),
    `${groups.map(({ definition }) => definition.name).join('.')}.soft-deleted`,
  )

/** Shows hidden records again. */
export const undelete = (author: Author, records: string, ids: readonly number[], removalId: number): Statement[] => [
  query(`${records}.undelete`)`
    update ${identifier(records)} r set deleted_at = null, removal_id = null, version = version + 1, updated_at = now()
    where ${heldRows(records, author.companyId, ids)}`,
  addToRowCount(author.companyId, records, ids.length),
  appendRecords(
    author,
    { action: 'restored', removalId },
    { table: records, ids, what: () => ({ version: sql`r.version` }), name: `${records}.log-restored` },
  ),
]

/**
 * Reads which of these records are live, each locked so that it cannot be deleted meanwhile. The lock comes before the
 * read: a concurrent deletion is waited for.
 */
export const holdLive = (companyId: number, records: string, ids: readonly number[]): Statement =>
  query(`${records}.hold-live`)`
    select r.id, r.deleted_at is null as live from ${byKeys(records, companyId, ids, 'for key share')}`

/** Reads and locks live records whose reference is still empty. */
export const stillEmpty = (
  companyId: number,
  definition: Definition,
  field: string,
  ids: readonly number[],
): Statement =>
  query(`${definition.name}.empty.${field}`)`
    select r.id, ${recordJson(definition, currencyOf(companyId))} as json from ${byKeys(definition.name, companyId, ids, 'for no key update')}
    where r.deleted_at is null and r.${identifier(field)} is null`
