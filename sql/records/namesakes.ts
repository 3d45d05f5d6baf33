import { join, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { equalKey, liveOf } from '../access.ts'
import { identifier, query, type Statement, sql } from '../statement.ts'
import { uniqueFields } from './columns.ts'

/** A record with one of the names, as its title or as the value of a unique field. */
export type NamesakeRow = { place: number; id: number; title: string; also: string | null }

/**
 * Finds the live records with each name: those whose name is equal to it, or else those that a search by it finds whole,
 * without accents and with any apostrophes and blanks. There is no index of names, so the records of the company are read once
 * for all names.
 */
export function namesakes(companyId: number, definition: Definition, { names, only, most }: Names): Statement {
  const { name, title } = definition
  const unique = namingFields(definition).map((field) => sql`r.${identifier(field)}::text`)
  const also = unique.length > 0 ? sql`coalesce(${join(unique)})` : sql`null::text`
  const called = [sql`r.${identifier(title)}::text`, ...unique]
  const among = only ? sql` and r.${identifier(only.column)} = ${only.value}` : sql``
  // `is true` keeps the planner from making the list a join with a guessed row count: it is hashed, and each record is
  // looked up in it.
  return query(`${name}.namesakes${only ? '.only' : ''}`)`
    with wanted as (
        select ${foldName(sql`value`)} as called, ${equalKey(sql`value`)} as key, place
        from unnest(${names}::text[]) with ordinality given (value, place)
      ), met as (
        select r.id, r.${identifier(title)} as title, ${also} as also, ${foldName(sql`value`)} as called, ${equalKey(sql`value`)} as key
        from ${liveOf(name, companyId)} r cross join lateral unnest(array[${join(called)}]) value
        where (${foldName(sql`value`)} in (select called from wanted)) is true${among}
      ), named as (
        select place, id, title, also, bool_or(met.key = wanted.key) as is_equal
        from wanted join met on met.called = wanted.called group by place, id, title, also
      )
    select place::int, id, title, also from (
      select place, id, title, also, row_number() over (partition by place, is_equal order by id) as n,
        is_equal or not bool_or(is_equal) over (partition by place) as is_nearest
      from named
    ) numbered
    where is_nearest and n <= ${most} order by place, id`
}

const foldName = (value: Sql): Sql => sql`regexp_replace(btrim(folded(${value})), ' +', ' ', 'g')`

/** The names, a condition on the records if not all may be meant, and the number of records returned for each name. */
type Names = { names: readonly string[]; only?: { column: string; value: string } | undefined; most: number }

/**
 * Returns the fields that name records beside their title. A field with a right is none, since not everybody may see
 * it.
 */
const namingFields = (definition: Definition): string[] =>
  uniqueFields(definition).filter((name) => definition.fields[name]?.right === undefined)
