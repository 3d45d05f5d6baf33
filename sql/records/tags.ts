import type { Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { byKeys } from '../access.ts'
import { identifier, prepareStatement, type Statement, sql } from '../statement.ts'
import { currencyOf, recordJson } from './record-json.ts'

/** ETags of records in their current state, as `recordTag` makes them of a version and a text. */

export type TagRow = { id: number; etag: string }

export const tagsOf = (companyId: number, definition: Definition, ids: readonly number[]): Statement =>
  prepareStatement(
    `${definition.name}.tags`,
    { companyId, ids },
    (given) => sql`
    select r.id, ${tag(given.companyId, definition)} as etag from ${byKeys(definition.name, given.companyId, given.ids)}`,
  )

/** Returns the ETag of a record by its id, within another statement. */
export const tagWithin = (definition: Definition) => ({
  records: definition.name,
  tagOf: (companyId: Sql, id: Sql): Sql =>
    sql`(select ${tag(companyId, definition)} from ${identifier(definition.name)} r where r.company_id = ${companyId} and r.id = ${id})`,
})

/** Returns the ETag of the record `r`. */
const tag = (companyId: Sql, definition: Definition): Sql => {
  const hash = sql`sha256(convert_to(${recordJson(definition, currencyOf(companyId))}, 'UTF8'))`
  return sql`'"' || r.version || '-' || left(translate(encode(${hash}, 'base64'), '+/', '-_'), 22) || '"'`
}
