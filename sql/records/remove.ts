import type { Definition } from '#registry/definition.ts'
import { byKeys } from '../access.ts'
import { type Author, doorOf } from '../author.ts'
import { eraseThere, setColumnThere, softDeleteThere } from '../citus/records.ts'
import { jsonArray, jsonObject } from '../json.ts'
import { identifier, type Statement, sql, statement } from '../statement.ts'
import { logged } from '../system/log.ts'
import { changeRowCount } from '../system/row-counts.ts'
import type { UnlinkedEntry } from './history.ts'
import { resourceOf } from './shown.ts'

export type RemovalEntry = {
  records: string
  recordId: number
  mode: 'soft' | 'hard'
  title: string
  /** records → ids that went with it */
  cascaded: { readonly [records: string]: readonly number[] }
  unlinked: readonly UnlinkedEntry[]
}

/** The id of a removal, drawn with the look-ups, so that nothing waits for what is written. */
export const nextRemovalId = (): Statement => statement(sql`select nextval('removals_id_seq') as id`, 'removals.id')

export const insertRemoval = (author: Author, id: number, removal: RemovalEntry): Statement =>
  statement(
    sql`insert into removals (company_id, id, account_id, token_id, door, records, record_id, mode, title, went, unlinked)
    values (${author.companyId}, ${id}, ${author.accountId}, ${author.tokenId}, ${doorOf(author)}, ${removal.records}, ${removal.recordId},
      ${removal.mode}, ${removal.title}, ${JSON.stringify(removal.cascaded)}::json, ${JSON.stringify(removal.unlinked)}::json)`,
    'removals.insert',
  )

/** Puts records out of sight; they share the removal and can come back with it. The log keeps them as they last were. */
export const softDelete = (
  author: Author,
  definition: Definition,
  ids: readonly number[],
  removalId: number,
): Statement => {
  const { name } = definition
  const { companyId } = author
  const resource = resourceOf(author, definition)
  return statement(
    sql`with was as (
      select r.id, r.ctid as place, ${resource.json} as json from ${byKeys(name, companyId, ids)}
    ), r as (
      update ${identifier(name)} set deleted_at = now(), removal_id = ${removalId}, version = version + 1, updated_at = now()
      where ctid = any (array(select place from was))
      returning company_id, id, version
    ), tallied as (${changeRowCount(name, -1)}
    ) ${logged(
      author,
      { records: name, action: 'deleted', removalId },
      sql`select id, version, null::json, (select json::json from was where was.id = r.id) from r`,
    )}`,
    `${name}.soft-delete`,
    softDeleteThere(author, resource, ids, removalId),
  )
}

/** Erases a record for good. The log keeps it as it last was. */
export const erase = (
  author: Author,
  definition: Definition,
  { id, held, removalId }: { id: number; held: string; removalId: number },
): Statement => {
  const { name } = definition
  return statement(
    sql`with r as (
      delete from ${identifier(name)} where company_id = ${author.companyId} and id = ${id}
      returning company_id, id, version
    ), tallied as (${changeRowCount(name, -1)}
    ) ${logged(
      author,
      { records: name, action: 'erased', removalId },
      sql`select id, version + 1, null::json, ${held}::json from r`,
    )}`,
    `${name}.erase`,
    eraseThere(author, name, { id, held, removalId }),
  )
}

/** A record that was settled, and what its column held. */
export type ColumnChangeRow = {
  id: number
  changes: { [column: string]: [held: number | string | null, now: string | null] }
}

/**
 * Sets one column of records that this transaction holds, of those alone that have `from` where one is named. The
 * history says what it was.
 */
export function setColumn(
  author: Author,
  records: string,
  column: string,
  ids: readonly number[],
  from: { is: string } | 'any',
  to: string | null,
): Statement {
  const held = from === 'any' ? sql`` : sql` where r.${identifier(column)} = ${from.is}`
  return statement(
    sql`with was as (
      select r.id, r.ctid as place, r.version, r.${identifier(column)} as held from ${byKeys(records, author.companyId, ids)}${held}
    ), r as (
      update ${identifier(records)} r set ${identifier(column)} = ${to}, version = version + 1, updated_at = now()
      where ctid = any (array(select place from was))
      returning r.${identifier(column)} as now
    ) ${logged(
      author,
      { records, action: 'changed' },
      sql`select id, version + 1,
        ${jsonObject({ [column]: jsonArray([sql`held`, sql`(select now from r limit 1)`]) })},
        null::json from was`,
    )} returning record_id as id, changes`,
    undefined,
    setColumnThere(author, { records, column, from, to }, ids),
  )
}
