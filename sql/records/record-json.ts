import type { Sql } from 'sql-template-tag'
import { isCompanyField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { kindOf } from '#registry/fields/index.ts'
import { memoize } from '#registry/memoize.ts'
import { sql } from '../statement.ts'

/**
 * Returns the JSON of the record `r`, as text that PostgreSQL builds: the members in the order of the definition, or
 * `fields` alone. `currency` is an expression for the company's currency.
 */
export function recordJson(definition: Definition, currency: Sql, fields?: readonly string[]): Sql {
  const texts = fields ? textsOf(definition, fields) : allTextsOf(definition)
  return sql(texts, ...texts.slice(1).map(() => currency))
}

/** Returns the texts before, between and after the places of the currency. */
function textsOf(definition: Definition, fields: readonly string[]): readonly string[] {
  const members = Object.entries(definition.fields)
    .filter(([name]) => name === 'id' || fields.includes(name))
    .map(
      ([name, field]) =>
        `${isCompanyField(name) ? currencyPlace : (kindOf(field).shown?.(`r.${name}`) ?? `r.${name}`)} as ${name}`,
    )
  return `(select row_to_json(record)::text from (select ${members.join()}) record)`.split(currencyPlace)
}

/** Does not occur in the text of a statement. */
const currencyPlace = '\0'

const allTextsOf = memoize((definition: Definition) => textsOf(definition, Object.keys(definition.fields)))

export const currencyOf = (companyId: number | Sql): Sql =>
  sql`(select currency from companies where id = ${companyId})`
