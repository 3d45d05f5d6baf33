import { join, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import type { Field } from '#registry/fields/index.ts'
import { registry } from '#registry/resources/index.ts'
import { heldRows } from '../access.ts'
import { type Author, doorOf } from '../author.ts'
import { parameter } from '../parameter.ts'
import { identifier, jsonArray, jsonObject, query, runInOrder, type Statement, sql, statement } from '../statement.ts'
import { appendRecords } from '../system/log.ts'
import { addToRowCount } from '../system/row-counts.ts'
import { referencesOf } from './columns.ts'
import type { UnlinkedEntry } from './history.ts'
import { currencyOf, recordJson } from './record-json.ts'

export type RemovalEntry = {
  records: string
  recordId: number
  mode: 'soft' | 'hard'
  title: string
  /** Ids that were deleted along, by resource. */
  cascaded: { readonly [records: string]: readonly number[] }
  unlinked: readonly UnlinkedEntry[]
}

/** Draws the id of a removal with the look-ups, so that no write waits for it. */
export const nextRemovalId = (): Statement => query('removals.id')`select nextval('removals_id_seq') as id`

export const insertRemoval = (author: Author, id: number, removal: RemovalEntry): Statement =>
  query('removals.insert')`
    insert into removals (company_id, id, account_id, token_id, door, records, record_id, mode, title, went, unlinked)
    values (${author.companyId}, ${id}, ${author.accountId}, ${author.tokenId}, ${doorOf(author)}, ${removal.records}, ${removal.recordId},
      ${removal.mode}, ${removal.title}, ${JSON.stringify(removal.cascaded)}::json, ${JSON.stringify(removal.unlinked)}::json)`

/** Hides records. They share the removal and can come back with it. The log keeps their last state. */
export function softDelete(
  author: Author,
  definition: Definition,
  ids: readonly number[],
  removalId: number,
): Statement[] {
  const { name } = definition
  const { companyId } = author
  return [
    appendRecords(
      author,
      { action: 'deleted', removalId },
      {
        ...{ table: name, ids, name: `${name}.log-deleted`, of: definition },
        what: (given) => ({
          version: sql`r.version + 1`,
          held: sql`${recordJson(definition, currencyOf(given.companyId))}::json`,
        }),
      },
    ),
    query(`${name}.soft-delete`)`
      update ${identifier(name)} r set deleted_at = now(), removal_id = ${removalId}, version = version + 1, updated_at = now()
      where ${heldRows(name, companyId, ids)}`,
    addToRowCount(companyId, name, -ids.length),
  ]
}

/** Erases a record for good. The log keeps its last state. */
export function erase(
  author: Author,
  { name }: Definition,
  { id, held, removalId }: { id: number; held: string; removalId: number },
): Statement[] {
  const { companyId } = author
  const erased = query(`${name}.erase`)`delete from ${identifier(name)} where company_id = ${companyId} and id = ${id}`
  return [
    appendRecords(
      author,
      { action: 'erased', removalId },
      {
        ...{ table: name, ids: [id], name: `${name}.log-erased` },
        what: ({ heldJson }) => ({ version: sql`r.version + 1`, held: sql`${heldJson}::json` }),
        heldJson: held,
      },
    ),
    // The foreign key empties references of deleted records. Citus has no such action, so statements do it there.
    { ...erased, distributed: (run) => runInOrder(run, ...unlinkAll(companyId, name, id), erased) },
    addToRowCount(companyId, name, -1),
  ]
}

/** Empties each reference to a record. */
const unlinkAll = (companyId: number, name: string, id: number): Statement[] =>
  registry.flatMap((definition) => {
    const table = identifier(definition.name)
    const references = referencesOf(definition).filter(([, { to }]) => to === name)
    return references.map(([field]) => {
      const column = identifier(field)
      return statement(sql`update ${table} set ${column} = null where company_id = ${companyId} and ${column} = ${id}`)
    })
  })

/** A record with a changed column, and the old value. */
export type ColumnChangeRow = {
  id: number
  changes: { [column: string]: [held: number | string | null, now: string | null] }
}

/** A new value of a column, for records that have `from` in it. */
export type ColumnChange = {
  column: string
  ids: readonly number[]
  from: { is: string } | 'any'
  to: string | null
}

/**
 * Makes changes of different columns of records that this transaction has locked, in one write of each record. Each change
 * is a version of its own, with a statement that logs it and returns the old values. The last statement writes.
 */
export function setColumns(
  author: Author,
  { name, fields }: Definition,
  changes: readonly ColumnChange[],
): Statement[] {
  const { companyId } = author
  const parts = changes.map(({ column, ids, from, to }) => {
    const held = sql`r.${identifier(column)}`
    const only = from === 'any' ? sql`true` : sql`${held} = ${from.is}`
    const isMeant = changes.length === 1 ? only : sql`r.id = any (${ids}::bigint[]) and ${only}`
    return { column: identifier(column), ids, held, only, isMeant, now: parameter(fields[column] as Field, to) }
  })
  const versionsOf = (some: typeof parts): Sql =>
    some.length === 0
      ? sql``
      : sql` + ${join(
          some.map(({ isMeant }) => sql`(${isMeant})::int`),
          ' + ',
        )}`
  const logged = parts.map(({ ids, only, held, now }, place) =>
    appendRecords(
      author,
      { action: 'changed' },
      {
        ...{ table: name, ids, only },
        what: () => ({
          version: sql`r.version + 1${versionsOf(parts.slice(0, place))}`,
          changes: jsonObject({ [changes[place]?.column as string]: jsonArray([held, now]) }),
        }),
      },
    ),
  )
  const [one, ...more] = parts
  const set =
    more.length === 0
      ? sql`${one?.column} = ${one?.now}, version = version + 1`
      : sql`${join(parts.map(({ column, held, isMeant, now }) => sql`${column} = case when ${isMeant} then ${now} else ${held} end`))},
      version = version${versionsOf(parts)}`
  return [
    ...logged,
    statement(
      sql`update ${identifier(name)} r set ${set}, updated_at = now()
      where ${heldRows(
        name,
        companyId,
        [...new Set(parts.flatMap(({ ids }) => ids))],
        join(
          parts.map(({ isMeant }) => isMeant),
          ' or ',
        ),
      )}`,
    ),
  ]
}
