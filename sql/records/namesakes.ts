import { join } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { liveOf } from '../access.ts'
import { identifier, type Statement, sql, statement } from '../statement.ts'
import { uniqueFields } from './columns.ts'

/** A record that goes by a name: its title, or the value of a unique field. */
export type NamesakeRow = { place: number; id: number; title: string; also: string | null }

/**
 * Which live records go by each name, capitals apart. There is no index of names, so the records of the company are read
 * once for all names.
 */
export function namesakes(companyId: number, definition: Definition, { names, only, most }: Names): Statement {
  const { name, title } = definition
  const unique = namingFields(definition).map((field) => sql`r.${identifier(field)}::text`)
  const also = unique.length > 0 ? sql`coalesce(${join(unique)})` : sql`null::text`
  const called = [sql`r.${identifier(title)}::text`, ...unique].map((value) => sql`lower(${value})`)
  const among = only ? sql` and r.${identifier(only.column)} = ${only.value}` : sql``
  // Asked whether it is true, the list of names is no join, whose size would be a guess: it is hashed, and each record looks into it.
  return statement(
    sql`with wanted as (select lower(value) as called, place from unnest(${names}::text[]) with ordinality given (value, place)),
      met as (
        select r.id, r.${identifier(title)} as title, ${also} as also, called
        from ${liveOf(name, companyId)} r cross join lateral unnest(array[${join(called)}]) called
        where (called in (select called from wanted)) is true${among}
      )
    select place::int, id, title, also from (
      select place, id, title, also, row_number() over (partition by place order by id) as n
      from (select distinct place, id, title, also from wanted join met on met.called = wanted.called) one
    ) numbered
    where n <= ${most} order by place, id`,
    `${name}.namesakes${only ? '.only' : ''}`,
  )
}

/** The names, the records that may be meant where not all of them are, and how many of each name are told. */
type Names = { names: readonly string[]; only?: { column: string; value: string } | undefined; most: number }

/** By whose values records may be named besides by their title: none that somebody may not see. */
const namingFields = (definition: Definition): string[] =>
  uniqueFields(definition).filter((name) => definition.fields[name]?.right === undefined)
