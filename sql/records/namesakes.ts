import { join } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { liveOf } from '../access.ts'
import { identifier, query, type Statement, sql } from '../statement.ts'
import { uniqueFields } from './columns.ts'

/** A record with one of the names, as its title or as the value of a unique field. */
export type NamesakeRow = { place: number; id: number; title: string; also: string | null }

/**
 * Finds the live records with each name, capitals apart. There is no index of names, so the records of the company are
 * read once for all names.
 */
export function namesakes(companyId: number, definition: Definition, { names, only, most }: Names): Statement {
  const { name, title } = definition
  const unique = namingFields(definition).map((field) => sql`r.${identifier(field)}::text`)
  const also = unique.length > 0 ? sql`coalesce(${join(unique)})` : sql`null::text`
  const called = [sql`r.${identifier(title)}::text`, ...unique].map((value) => sql`lower(${value})`)
  const among = only ? sql` and r.${identifier(only.column)} = ${only.value}` : sql``
  // `is true` keeps the planner from making the list a join with a guessed row count: it is hashed, and each record is
  // looked up in it.
  return query(`${name}.namesakes${only ? '.only' : ''}`)`
    with wanted as (select lower(value) as called, place from unnest(${names}::text[]) with ordinality given (value, place)),
      met as (
        select r.id, r.${identifier(title)} as title, ${also} as also, called
        from ${liveOf(name, companyId)} r cross join lateral unnest(array[${join(called)}]) called
        where (called in (select called from wanted)) is true${among}
      )
    select place::int, id, title, also from (
      select place, id, title, also, row_number() over (partition by place order by id) as n
      from (select distinct place, id, title, also from wanted join met on met.called = wanted.called) one
    ) numbered
    where n <= ${most} order by place, id`
}

/** The names, a condition on the records if not all may be meant, and the number of records returned for each name. */
type Names = { names: readonly string[]; only?: { column: string; value: string } | undefined; most: number }

/**
 * Returns the fields that name records beside their title. A field with a right is none, since not everybody may see
 * it.
 */
const namingFields = (definition: Definition): string[] =>
  uniqueFields(definition).filter((name) => definition.fields[name]?.right === undefined)
