import { join, raw, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { JsonObject } from '#registry/json.ts'
import type { Author, Origin } from '../author.ts'
import { parameter } from '../parameter.ts'
import { identifier, prepareStatement, query, type Statement, sql } from '../statement.ts'
import { appendChanges } from '../system/log.ts'
import { addToRowCount } from '../system/row-counts.ts'
import { columnsOf, typedColumns } from './columns.ts'
import { recordJson } from './record-json.ts'

/** Inserts of one or many records of a resource. Each part is a statement of its own; they are sent together. */

export type WrittenRow = { id: number; version: number; json: string }

export type NewRecord = { id: number; by: Origin; values: JsonObject }

/** Draws ids for records, in ascending order. */
export const drawRecordIds = ({ name }: Definition, count: number): Statement =>
  query(`${name}.ids`)`select nextval(${raw(`'${name}_id_seq'`)}) as id from generate_series(1, ${count}::int)`

/** `currency` is that of the company. If it is set, the first statement returns the records as they are shown. */
type InsertRequest = {
  author: Author
  definition: Definition
  records: readonly NewRecord[]
  currency?: string | undefined
}

/** Inserts records, with their history and row count. */
export function insertRecords({ author, definition, records, currency }: InsertRequest): Statement[] {
  const { companyId } = author
  const { name } = definition
  const isShown = currency !== undefined
  const rows = JSON.stringify(records.map(({ id, values }) => ({ ...values, id })))
  return [
    prepareStatement(definition, `${name}.insert${isShown ? '-shown' : ''}`, { companyId, rows, currency }, (given) => {
      const columns = columnsOf(definition).filter(([, field]) => !kindOf(field).drawn)
      const shown = sql`r.id, r.version, ${recordJson(definition, sql`${given.currency}::text`)} as json`
      return sql`insert into ${identifier(name)} as r (company_id, id, ${namesOf(columns)})
    select c.id, given.id, ${namesOf(columns, 'given.')} from companies c cross join json_to_recordset(${given.rows}::json)
      as given (id bigint, ${typedColumns(columns)}) where c.id = ${given.companyId}${isShown ? sql` returning ${shown}` : sql``}`
    }),
    appendChanges(
      author,
      { records: name, action: 'created' },
      records.map(({ id, by }) => ({ by, record_id: id, version: 1 })),
    ),
    addToRowCount(companyId, name, records.length),
  ]
}

/** Inserts an erased record again, under its former id, as a newer version. */
export function insertAgain(
  author: Author,
  definition: Definition,
  record: JsonObject,
  { version, removalId }: { version: number; removalId: number },
): Statement[] {
  const { companyId } = author
  const { name } = definition
  const columns = columnsOf(definition).filter(([column]) => column !== 'updated_at')
  return [
    query(`${name}.insert-again`)`insert into ${identifier(name)} (company_id, version, ${namesOf(columns)})
    values (${companyId}::bigint, ${version}::integer, ${join(columns.map(([column, field]) => parameter(field, record[column] ?? null)))})`,
    appendChanges(author, { records: name, action: 'restored', removalId }, [
      { by: author, record_id: record.id as number, version },
    ]),
    addToRowCount(companyId, name, 1),
  ]
}

const namesOf = (columns: readonly [string, Field][], source = ''): Sql =>
  join(columns.map(([column]) => identifier(source + column)))
