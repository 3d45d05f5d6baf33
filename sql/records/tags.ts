import { raw, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { byKeys, companyRow } from '../access.ts'
import { identifier, prepareStatement, type Statement, sql } from '../statement.ts'
import { recordJson } from './record-json.ts'

/** ETags of records in their current state, as `recordTag` makes them of a key, a version and a text. */

export type TagRow = { id: number; etag: string }

export const tagsOf = (companyId: number, definition: Definition, ids: readonly number[]): Statement =>
  prepareStatement(
    definition,
    `${definition.name}.tags`,
    { companyId, ids },
    (given) => sql`
    select r.id, ${tag(definition)} as etag
    from ${companyRow(given.companyId)} company cross join ${byKeys(definition.name, given.companyId, given.ids)}`,
  )

/** Returns the ETag of a record by its id, within another statement. */
export const tagWithin = (definition: Definition) => ({
  of: definition,
  tagOf: (companyId: Sql, id: Sql): Sql =>
    sql`(select ${tag(definition)} from ${companyRow(companyId)} company cross join ${identifier(definition.name)} r
      where r.company_id = ${companyId} and r.id = ${id})`,
})

/** Returns the ETag of the record `r` of a `company`. */
function tag(definition: Definition): Sql {
  const text = sql`r.version || '-' || ${recordJson(definition, raw('company.currency'))}`
  const inner = sql`encode(sha256(convert_to(left(company.tag_key, 64) || ${text}, 'UTF8')), 'hex')`
  const outer = sql`encode(sha256(convert_to(right(company.tag_key, 64) || ${inner}, 'UTF8')), 'base64')`
  return sql`'"' || r.version || '-' || left(translate(${outer}, '+/', '-_'), 22) || '"'`
}
