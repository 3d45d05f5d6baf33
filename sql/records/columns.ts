import { raw, type Sql } from 'sql-template-tag'
import { isCompanyField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { Json } from '#registry/json.ts'
import { memoize } from '#registry/memoize.ts'
import { sql } from '../statement.ts'

/** What the tables of a definition have: columns, and the indexes that statements and errors name. */

/** The fields with a column of their own. */
export const columnsOf = memoize((definition: Definition): readonly [string, Field][] =>
  Object.entries(definition.fields).filter(([name]) => !isCompanyField(name)),
)

/** Columns with their types, as the source of rows has them. */
export const typedColumns = (columns: readonly [string, Field][]): Sql =>
  raw(columns.map(([column, field]) => `${column} ${kindOf(field).column(field)}`).join(', '))

/** The value as a parameter of its column's type. */
export function parameter(field: Field, value: Json): Sql {
  const type = kindOf(field).column(field)
  return sql`${type === 'json' && value !== null ? JSON.stringify(value) : value}::${raw(type)}`
}

/** The name of the index that keeps a field unique among live records. */
export const uniqueIndex = (definition: Definition, field: string): string => `${definition.name}_${field}_live`

/** The field whose uniqueness a violated index keeps, if it is one of these. */
export const fieldOfIndex = (definition: Definition, index: string): string | undefined =>
  uniqueFields(definition).find((field) => uniqueIndex(definition, field) === index)

export const uniqueFields = memoize((definition: Definition): readonly string[] =>
  columnsOf(definition)
    .filter(([, field]) => field.unique)
    .map(([name]) => name),
)

/** The fields by whose value an index finds live records: what a list is narrowed by, and every reference. */
export const equalityIndexes = (definition: Definition): string[] => {
  const references = columnsOf(definition).filter(([, field]) => field.kind === 'reference')
  return [...new Set([...definition.filters, ...references.map(([column]) => column)])]
}
