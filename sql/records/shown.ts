import { join, raw, type Sql } from 'sql-template-tag'
import { isCompanyField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { kindOf } from '#registry/fields/index.ts'
import { sql } from '../statement.ts'

/**
 * The JSON of the record `r`, as text, built by PostgreSQL: the members in the order of the definition, the `fields`
 * alone where given. `currency` is an expression for the company's currency.
 */
export function shown(definition: Definition, currency: Sql, fields?: readonly string[]): Sql {
  const members = Object.entries(definition.fields)
    .filter(([name]) => !fields || name === 'id' || fields.includes(name))
    .map(([name, field]) => {
      if (isCompanyField(name)) return sql`${currency} as ${raw(name)}`
      return raw(`${kindOf(field).shown?.(`r.${name}`) ?? `r.${name}`} as ${name}`)
    })
  return sql`(select row_to_json(record)::text from (select ${join(members)}) record)`
}

export const currencyOf = (companyId: number): Sql => sql`(select currency from companies where id = ${companyId})`

/** What a write of a distributed database is told of a resource: its name, and the JSON of its record `r`. */
export const resourceOf = (
  { companyId }: { companyId: number },
  definition: Definition,
): { name: string; json: Sql } => ({
  name: definition.name,
  json: shown(definition, currencyOf(companyId)),
})
