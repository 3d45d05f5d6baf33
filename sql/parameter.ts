import { raw, type Sql } from 'sql-template-tag'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { Json } from '#registry/json.ts'
import { sql } from './statement.ts'

/** Returns the value as a parameter of its column's type. */
export function parameter(field: Field, value: Json): Sql {
  const type = kindOf(field).column(field)
  return sql`${type === 'json' && value !== null ? JSON.stringify(value) : value}::${raw(type)}`
}
