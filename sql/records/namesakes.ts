import { join, raw, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import { equalKey, liveOf } from '../access.ts'
import { identifier, query, type Statement, sql } from '../statement.ts'
import { uniqueFields } from './columns.ts'

/** A record with one of the texts; `also` is the value of a unique field that tells it from others. */
export type NamesakeRow = { place: number; id: number; title: string; also: string | null }

/**
 * Finds the live records with each name: those whose name is equal to it, or else those that a search by it finds whole,
 * without accents and with any apostrophes and blanks. A name is the title or the value of a unique field.
 */
export const namesakes = (companyId: number, definition: Definition, asked: Texts): Statement =>
  recordsWith(companyId, definition, 'namesakes', asked, [definition.title, ...namingFields(definition)], byName)

/** Finds the live records with each text in one field: the title, as by a name, or a field whose kind compares values. */
export function sameValues(companyId: number, definition: Definition, name: string, asked: Texts): Statement {
  const { comparison } = kindOf(definition.fields[name] as Field)
  if (!comparison) return recordsWith(companyId, definition, `${name}.same`, asked, [name], byName)
  const { key, isSame } = comparison
  const keyOf = (text: Sql): Sql => raw(key(text.sql))
  const by = { fold: keyOf, key: keyOf, isSame: isSame && raw(isSame('met.value', 'wanted.value')) }
  return recordsWith(companyId, definition, `${name}.same`, asked, [name], by)
}

/** There is no index of the fields, so the records of the company are read once for all texts. */
function recordsWith(
  companyId: number,
  definition: Definition,
  called: string,
  { texts, only, most }: Texts,
  fields: readonly string[],
  { fold, key, isSame }: By,
): Statement {
  const { name, title } = definition
  const unique = namingFields(definition).map((field) => sql`r.${identifier(field)}::text`)
  const also = unique.length > 0 ? sql`coalesce(${join(unique)})` : sql`null::text`
  const values = fields.map((field) => sql`r.${identifier(field)}::text`)
  const among = only ? sql` and r.${identifier(only.column)} = ${only.value}` : sql``
  const same = isSame ? sql` and ${isSame}` : sql``
  const value = sql`value`
  // `is true` keeps the planner from making the list a join with a guessed row count: it is hashed, and each record is
  // looked up in it.
  return query(`${name}.${called}${only ? '.only' : ''}`)`
    with wanted as (
        select value, ${fold(value)} as called, ${key(value)} as key, place
        from unnest(${texts}::text[]) with ordinality given (value, place)
      ), met as (
        select r.id, r.${identifier(title)} as title, ${also} as also, value, ${fold(value)} as called, ${key(value)} as key
        from ${liveOf(name, companyId)} r cross join lateral unnest(array[${join(values)}]) value
        where (${fold(value)} in (select called from wanted)) is true${among}
      ), named as (
        select place, id, title, also, bool_or(met.key = wanted.key) as is_equal
        from wanted join met on met.called = wanted.called${same} group by place, id, title, also
      )
    select place::int, id, title, also from (
      select place, id, title, also, row_number() over (partition by place, is_equal order by id) as n,
        is_equal or not bool_or(is_equal) over (partition by place) as is_nearest
      from named
    ) numbered
    where is_nearest and n <= ${most} order by place, id`
}

/** How texts are compared: the nearest records with an equal fold are those with an equal key. */
type By = { fold(text: Sql): Sql; key(text: Sql): Sql; isSame?: Sql | undefined }

const byName: By = { fold: (name) => sql`regexp_replace(btrim(folded(${name})), ' +', ' ', 'g')`, key: equalKey }

/** The texts, a condition on the records if not all may be meant, and the number of records returned for each text. */
type Texts = { texts: readonly string[]; only?: { column: string; value: string } | undefined; most: number }

/**
 * Returns the fields that name records beside their title. A field with a right is none, since not everybody may see
 * it.
 */
const namingFields = (definition: Definition): string[] =>
  uniqueFields(definition).filter((name) => definition.fields[name]?.right === undefined)
