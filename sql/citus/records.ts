import { join, type Sql } from 'sql-template-tag'
import type { JsonObject } from '#registry/json.ts'
import { registry } from '#registry/resources/index.ts'
import { byKeys } from '../access.ts'
import type { Author } from '../author.ts'
import { identifier, type Run, type Statement, type Steps, sql, statement } from '../statement.ts'
import { beginEpoch, drawIds, loggedThere } from './log.ts'

/**
 * Writes of records where companies are distributed. A statement that inserts within another one is no single task there,
 * so each part is a statement; they travel together, behind one that draws the ids.
 */

/** A resource, and the JSON of its record `r`. */
type Resource = { name: string; json: Sql }

/** Records as they come to be: `source` are their columns and where these come from. */
type NewRecords = { columns: Sql; source: (ids: readonly number[]) => Sql; count: number }

export const insertThere =
  (author: Author, resource: Resource, records: NewRecords, slots: Statement | null): Steps =>
  async (run) => {
    const { companyId } = author
    const { name } = resource
    const [drawn, taken] = await Promise.all([
      run<{ id: number; history_id: number }>(
        statement(
          sql`select nextval(${`${name}_id_seq`}::regclass) as id, nextval('history_id_seq') as history_id
          from generate_series(1, ${records.count}::int)`,
          `${name}.ids`,
        ),
      ),
      slots === null ? [true] : run(slots),
    ])
    if (taken.length === 0) return []
    const ids = drawn.map(({ id }) => id)
    const insert = sql`insert into ${identifier(name)} (company_id, ${records.columns}, id) ${records.source(ids)}`
    const written = new Map(drawn.map(({ id, history_id }) => [id, history_id]))
    const [, , , , rows] = await Promise.all([
      run(beginEpoch(companyId)),
      run(statement(insert)),
      run(changeCount(companyId, name, ids.length)),
      run(loggedThere(author, { records: name, action: 'created' }, ofRecords(companyId, name, written))),
      run(now(companyId, resource, ids)),
    ])
    return rows
  }

/** A record that was erased, under the id that it had. */
export const insertAgainThere =
  (author: Author, name: string, { id, insert, removalId }: { id: number; insert: Sql; removalId: number }): Steps =>
  async (run) => {
    const { companyId } = author
    const written = await withIds(run, [id])
    const kind = { records: name, action: 'restored', removalId }
    await Promise.all([
      run(beginEpoch(companyId)),
      run(statement(insert)),
      run(changeCount(companyId, name, 1)),
      run(loggedThere(author, kind, ofRecords(companyId, name, written))),
    ])
    return []
  }

/** Records of which each was held by this transaction, so none is missed by the statements one after the other. */
export const updateThere =
  (author: Author, resource: Resource, changes: ReadonlyMap<number, JsonObject>, update: Sql): Steps =>
  async (run) => {
    const { companyId } = author
    const { name } = resource
    const ids = [...changes.keys()]
    const written = await withIds(run, ids)
    const said = ids.map((id) => JSON.stringify(changes.get(id)))
    const of = sql`select given.history_id, given.id, r.version + 1, given.changes::json, null::json
      from ${identifier(name)} r join unnest(${ids}::bigint[], ${ids.map((id) => written.get(id))}::bigint[], ${said}::text[])
        as given (id, history_id, changes) on r.id = given.id
      where r.company_id = ${companyId}`
    const [, , , rows] = await Promise.all([
      run(beginEpoch(companyId)),
      run(loggedThere(author, { records: name, action: 'changed' }, of)),
      run(statement(update)),
      run(now(companyId, resource, ids)),
    ])
    return rows
  }

export const softDeleteThere =
  (author: Author, resource: Resource, ids: readonly number[], removalId: number): Steps =>
  async (run) => {
    const { companyId } = author
    const { name, json } = resource
    const written = await withIds(run, ids)
    const held = sql`r.version + 1, null::json, ${json}::json`
    await Promise.all([
      run(beginEpoch(companyId)),
      run(
        loggedThere(author, { records: name, action: 'deleted', removalId }, ofRecords(companyId, name, written, held)),
      ),
      run(
        statement(sql`update ${identifier(name)} set deleted_at = now(), removal_id = ${removalId}, version = version + 1,
          updated_at = now() where company_id = ${companyId} and id = any (${[...written.keys()]}::bigint[])`),
      ),
      run(changeCount(companyId, name, -written.size)),
    ])
    return []
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
    await Promise.all([
      run(beginEpoch(companyId)),
      run(loggedThere(author, { records: name, action: 'erased', removalId }, of)),
      ...referring.map(({ table, column }) =>
        run(
          statement(sql`update ${identifier(table)} set ${identifier(column)} = null
          where company_id = ${companyId} and ${identifier(column)} = ${id}`),
        ),
      ),
      run(statement(sql`delete from ${identifier(name)} where company_id = ${companyId} and id = ${id}`)),
      run(changeCount(companyId, name, -1)),
    ])
    return []
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
    const rows = was.map(({ id, held }) => ({ id, changes: { [column]: [held, to] } }))
    const ids = was.map(({ id }) => id)
    const written = await withIds(run, ids)
    const of = sql`select given.history_id, given.id, r.version + 1, given.changes::json, null::json
      from ${identifier(records)} r join unnest(${ids}::bigint[], ${[...written.values()]}::bigint[],
        ${rows.map(({ changes }) => JSON.stringify(changes))}::text[]) as given (id, history_id, changes) on r.id = given.id
      where r.company_id = ${companyId}`
    await Promise.all([
      run(beginEpoch(companyId)),
      run(loggedThere(author, { records, action: 'changed' }, of)),
      run(
        statement(sql`update ${identifier(records)} set ${identifier(column)} = ${to}, version = version + 1, updated_at = now()
          where company_id = ${companyId} and id = any (${ids}::bigint[])`),
      ),
    ])
    return rows
  }

export const undeleteThere =
  (author: Author, records: string, ids: readonly number[], removalId: number): Steps =>
  async (run) => {
    const { companyId } = author
    const written = await withIds(run, ids)
    await Promise.all([
      run(beginEpoch(companyId)),
      run(
        statement(sql`update ${identifier(records)} set deleted_at = null, removal_id = null, version = version + 1,
          updated_at = now() where company_id = ${companyId} and id = any (${[...written.keys()]}::bigint[])`),
      ),
      run(changeCount(companyId, records, written.size)),
      run(loggedThere(author, { records, action: 'restored', removalId }, ofRecords(companyId, records, written))),
    ])
    return []
  }

/** Ids of the log for records, each once. */
async function withIds(run: Run, ids: readonly number[]): Promise<Map<number, number>> {
  const each = [...new Set(ids)].toSorted((one, other) => one - other)
  const drawn = await drawIds(run, each.length)
  return new Map(each.map((id, index) => [id, drawn[index] as number]))
}

/** What the log says of records `r`: by default no more than their version. */
const ofRecords = (
  companyId: number,
  table: string,
  written: ReadonlyMap<number, number>,
  what: Sql = sql`r.version, null::json, null::json`,
): Sql => sql`select given.history_id, given.id, ${what}
      from ${identifier(table)} r join unnest(${[...written.keys()]}::bigint[], ${[...written.values()]}::bigint[])
        as given (id, history_id) on r.id = given.id
      where r.company_id = ${companyId}`

const changeCount = (companyId: number, records: string, change: number) =>
  statement(
    sql`insert into tally_changes (company_id, records, change) values (${companyId}, ${records}, ${change})`,
    'row-counts.change',
  )

const now = (companyId: number, { name, json }: Resource, ids: readonly number[]) =>
  statement(sql`select r.id, r.version, ${json} as json from ${byKeys(name, companyId, ids)}`, `${name}.now`)

/** One record by its values, as what is inserted. */
export const oneRecord = (companyId: number, columns: readonly Sql[], values: readonly Sql[]): NewRecords => ({
  columns: join([...columns]),
  source: ([id]) => sql`values (${companyId}, ${join([...values])}, ${id})`,
  count: 1,
})
