import type { Sql } from 'sql-template-tag'
import type { JsonObject } from '#registry/json.ts'
import { registry } from '#registry/resources/index.ts'
import { byKeys } from '../access.ts'
import type { Author, LogAuthor, Origin } from '../author.ts'
import { identifier, type Steps, sql, statement } from '../statement.ts'
import { inEpoch, loggedThere, ofChanges, ofRecords, withIds, withOrigins } from './log.ts'

/**
 * Writes of records where companies are distributed. A statement that inserts within another one is no single task there,
 * so each part is a statement; they travel together, behind one that draws the ids.
 */

/** A resource, and the JSON of its record `r`. */
type Resource = { name: string; json: Sql }

/** Records as they come to be: `source` are their columns and where these come from. */
type NewRecords = { columns: Sql; source: (ids: readonly number[]) => Sql; origins: readonly Origin[] }

export const insertThere =
  (author: Author, resource: Resource, records: NewRecords): Steps =>
  async (run) => {
    const { companyId } = author
    const { name } = resource
    const drawn = await run<{ id: number; history_id: number }>(
      statement(
        sql`select nextval(${`${name}_id_seq`}::regclass) as id, nextval('history_id_seq') as history_id
        from generate_series(1, ${records.origins.length}::int)`,
        `${name}.ids`,
      ),
    )
    const ids = drawn.map(({ id }) => id)
    const insert = sql`insert into ${identifier(name)} (company_id, ${records.columns}, id) ${records.source(ids)}`
    const written = new Map(drawn.map(({ id, history_id }) => [id, history_id]))
    const origins = new Map(records.origins.map((origin, index) => [ids[index] as number, origin]))
    return inEpoch(
      run,
      companyId,
      statement(insert),
      changeCount(companyId, name, ids.length),
      loggedThere(
        author,
        { records: name, action: 'created', hasOrigins: true },
        withOrigins(ofRecords(companyId, name, written), origins),
      ),
      now(companyId, resource, ids),
    )
  }

/** A record that was erased, under the id that it had. */
export const insertAgainThere =
  (author: Author, name: string, { id, insert, removalId }: { id: number; insert: Sql; removalId: number }): Steps =>
  async (run) => {
    const { companyId } = author
    const written = await withIds(run, [id])
    const kind = { records: name, action: 'restored', removalId }
    return inEpoch(
      run,
      companyId,
      statement(insert),
      changeCount(companyId, name, 1),
      loggedThere(author, kind, ofRecords(companyId, name, written)),
    )
  }

/** Records of which each was held by this transaction, so none is missed by the statements one after the other. */
export const updateThere =
  (
    author: LogAuthor,
    resource: Resource,
    updates: readonly { id: number; by: Origin; changes: JsonObject }[],
    update: Sql,
  ): Steps =>
  async (run) => {
    const { companyId } = author
    const { name } = resource
    const ids = updates.map(({ id }) => id)
    const changes = new Map(updates.map(({ id, changes }) => [id, changes]))
    const origins = new Map(updates.map(({ id, by }) => [id, by]))
    const written = await withIds(run, ids)
    return inEpoch(
      run,
      companyId,
      loggedThere(
        author,
        { records: name, action: 'changed', hasOrigins: true },
        withOrigins(ofChanges(companyId, name, written, changes), origins),
      ),
      statement(update),
      now(companyId, resource, ids),
    )
  }

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
      changeCount(companyId, name, -written.size),
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
      changeCount(companyId, name, -1),
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
      changeCount(companyId, records, written.size),
      loggedThere(author, { records, action: 'restored', removalId }, ofRecords(companyId, records, written)),
    )
  }

const changeCount = (companyId: number, records: string, change: number) =>
  statement(
    sql`insert into tally_changes (company_id, records, change) values (${companyId}, ${records}, ${change})`,
    'row-counts.change',
  )

const now = (companyId: number, { name, json }: Resource, ids: readonly number[]) =>
  statement(sql`select r.id, r.version, ${json} as json from ${byKeys(name, companyId, ids)}`, `${name}.now`)
