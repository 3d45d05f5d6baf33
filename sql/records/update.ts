import { join, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import type { LogAuthor, Origin } from '../author.ts'
import { type Expressions, eitherSql, identifier, prepareStatement, type Statement, sql } from '../statement.ts'
import { appendChanges } from '../system/log.ts'
import { columnsOf, shapeOf, typedColumns } from './columns.ts'
import { currencyOf, recordJson } from './record-json.ts'

type UpdateRequest = {
  author: LogAuthor
  definition: Definition
  /** The records, which this transaction has locked; `version` is the one before the change. */
  updates: readonly { id: number; version: number; by: Origin; values: JsonObject; changes: JsonObject }[]
  names: readonly string[]
  /** Whether the first statement returns the records as they are shown. */
  isShown: boolean
}

/** Updates the fields `names` of records, with their history. Unchanged ones are written as they are. */
export function updateHeld({ author, definition, updates, names, isShown }: UpdateRequest): Statement[] {
  const { companyId } = author
  const { name } = definition
  const rows = JSON.stringify(updates.map(({ id, values }) => ({ __id: id, ...values })))
  return [
    // Callers can change any fields; only statements with few columns are prepared.
    prepareStatement(
      definition,
      names.length <= 2
        ? `${name}.update${isShown ? '-shown' : ''}:${shapeOf(Object.keys(definition.fields), names)}`
        : undefined,
      { companyId, rows },
      (given) => updateSql(given, definition, { names, isShown }),
    ),
    appendChanges(
      author,
      { records: name, action: 'changed' },
      updates.map(({ id, version, by, changes }) => ({ by, record_id: id, version: version + 1, changes })),
    ),
  ]
}

function updateSql(
  { companyId, rows }: Expressions<{ companyId: number; rows: string }>,
  definition: Definition,
  { names, isShown }: Pick<UpdateRequest, 'names' | 'isShown'>,
): Sql {
  const table = identifier(definition.name)
  const columns = columnsOf(definition).filter(([column]) => names.includes(column))
  const assignments = columns.map(([column]) => sql`${identifier(column)} = ${identifier(`given.${column}`)}`)
  // A write of somebody who may not read the record may change no column.
  const types = columns.length > 0 ? sql`, ${typedColumns(columns)}` : sql``
  const source = sql`json_to_recordset(${rows}::json) as given (__id bigint${types})`
  const found = eitherSql(
    sql`(
      select held.place as __place, given.* from ${source}
      cross join lateral (
        select ctid as place from ${table} where company_id = ${companyId} and id = given.__id offset 0
      ) held
    ) given where r.ctid = given.__place`,
    () => sql`${source} where r.company_id = ${companyId} and r.id = given.__id`,
  )
  const shown = sql`r.id, r.version, ${recordJson(definition, currencyOf(companyId))} as json`
  return sql`update ${table} r set ${join([...assignments, sql`version = version + 1`, sql`updated_at = now()`])}
    from ${found}${isShown ? sql` returning ${shown}` : sql``}`
}
