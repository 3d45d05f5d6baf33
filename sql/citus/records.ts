import type { Sql } from 'sql-template-tag'
import { registry } from '#registry/resources/index.ts'
import { byKeys } from '../access.ts'
import type { Author } from '../author.ts'
import { addToRowCount } from '../row-count.ts'
import { identifier, type Steps, sql, statement } from '../statement.ts'
import { inEpoch, loggedThere, ofChanges, ofRecords, withIds } from './log.ts'

/**
 * Removals of records, and what goes along, where companies are distributed. A statement that inserts within another one is
 * no single task there, so each part is a statement; they travel together, behind one that draws the ids of the log.
 */

/** A resource, and the JSON of its record `r`. */
type Resource = { name: string; json: Sql }

export const softDeleteThere =
  (author: Author, resource: Resource, ids: readonly number[], removalId: number): Steps =>
  async (run) => {
    const { companyId } = author
    const { name, json } = resource
    const written = await withIds(run, ids)
    const of = ofRecords(companyId, name, written, sql`r.version + 1, null::json, ${json}::json`)
    return inEpoch(
      run,
      companyId,
      loggedThere(author, { records: name, action: 'deleted', removalId }, of),
      statement(sql`update ${identifier(name)} set deleted_at = now(), removal_id = ${removalId}, version = version + 1,
        updated_at = now() where company_id = ${companyId} and id = any (${[...written.keys()]}::bigint[])`),
      addToRowCount(companyId, name, -written.size),
    )
  }

/** What was out of sight and referred to it lets go of it here: there a foreign key cannot. */
export const eraseThere =
  (author: Author, name: string, { id, held, removalId }: { id: number; held: string; removalId: number }): Steps =>
  async (run) => {
    const { companyId } = author
    const written = await withIds(run, [id])
    const referring = registry.flatMap((definition) =>
      Object.entries(definition.fields).flatMap(([column, field]) =>
        field.kind === 'reference' && field.to === name ? [{ table: definition.name, column }] : [],
      ),
    )
    const of = ofRecords(companyId, name, written, sql`r.version + 1, null::json, ${held}::json`)
    return inEpoch(
      run,
      companyId,
      loggedThere(author, { records: name, action: 'erased', removalId }, of),
      ...referring.map(({ table, column }) =>
        statement(sql`update ${identifier(table)} set ${identifier(column)} = null
        where company_id = ${companyId} and ${identifier(column)} = ${id}`),
      ),
      statement(sql`delete from ${identifier(name)} where company_id = ${companyId} and id = ${id}`),
      addToRowCount(companyId, name, -1),
    )
  }

export type ColumnChange = { records: string; column: string; from: { is: string } | 'any'; to: string | null }

export const setColumnThere =
  (author: Author, { records, column, from, to }: ColumnChange, wanted: readonly number[]): Steps =>
  async (run) => {
    const { companyId } = author
    const which = from === 'any' ? sql`` : sql` where r.${identifier(column)} = ${from.is}`
    const was = await run<{ id: number; held: number | string | null }>(
      statement(
        sql`select r.id, r.${identifier(column)} as held from ${byKeys(records, companyId, wanted)}${which}`,
        `${records}.held-${column}${from === 'any' ? '' : '-from'}`,
      ),
    )
    if (was.length === 0) return []
    const changes = new Map(was.map(({ id, held }) => [id, { [column]: [held, to] }]))
    const written = await withIds(run, [...changes.keys()])
    await inEpoch(
      run,
      companyId,
      loggedThere(author, { records, action: 'changed' }, ofChanges(companyId, records, written, changes)),
      statement(sql`update ${identifier(records)} set ${identifier(column)} = ${to}, version = version + 1, updated_at = now()
        where company_id = ${companyId} and id = any (${[...written.keys()]}::bigint[])`),
    )
    return [...changes].map(([id, changes]) => ({ id, changes }))
  }

export const undeleteThere =
  (author: Author, records: string, ids: readonly number[], removalId: number): Steps =>
  async (run) => {
    const { companyId } = author
    const written = await withIds(run, ids)
    return inEpoch(
      run,
      companyId,
      statement(sql`update ${identifier(records)} set deleted_at = null, removal_id = null, version = version + 1,
        updated_at = now() where company_id = ${companyId} and id = any (${[...written.keys()]}::bigint[])`),
      addToRowCount(companyId, records, written.size),
      loggedThere(author, { records, action: 'restored', removalId }, ofRecords(companyId, records, written)),
    )
  }
