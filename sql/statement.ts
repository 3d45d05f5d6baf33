import sql, { raw, type Sql } from 'sql-template-tag'
import { kindOf } from '#registry/fields/index.ts'

/** A statement ready to run. With a name it is prepared once a connection; without one its text may vary freely. */
export type Statement = {
  name?: string
  text: string
  values: unknown[]
  batchable?: undefined
}

/** PostgreSQL cuts longer names off, and two statements would share one. */
const nameLengthMax = 63

export function statement(query: Sql, name?: string): Statement {
  const { text, values } = query
  return name === undefined || name.length > nameLengthMax ? { text, values } : { name, text, values }
}

/** An identifier. It comes from the registry, never from a request. */
export const identifier = (name: string): Sql => raw(name)

/** A moment as it is shown. */
export const instant = (column: string): Sql => raw(kindOf({ kind: 'instant', about: '' }).shown?.(column) ?? column)

export { sql }
