import { join, raw, type Sql } from 'sql-template-tag'
import { referenceField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf, referenceOf } from '#registry/fields/index.ts'
import type { ListRequest } from '#registry/listing.ts'
import { permissionOfRight } from '#registry/permissions.ts'
import { byKey, byKeys, equalsIndexed, inOrderOf, liveNamed } from '../access.ts'
import { eitherSql, sql } from '../statement.ts'
import { equalityIndexes, phonesOf } from './columns.ts'

/** Returns whether a list has a condition. Without one it has every live record, whose number is stored. */
export const narrows = ({
  filters,
  words,
  updatedSince,
  ids,
  reference,
  among = [],
  ranges = [],
}: ListRequest): boolean =>
  Object.keys(filters).length + words.length + among.length + ranges.length > 0 ||
  [updatedSince, ids, reference].some((asked) => asked !== undefined)

/** The live records of a listing: the text after `from`, with the records as `r`, in the order of one index. */
export type ListingSource = {
  from: Sql
  /** The columns that give the order of ids; undefined in another order. */
  byId: readonly Sql[] | undefined
}

/**
 * Finds the records by one index, whatever the other conditions are. The first of these that is present narrows most:
 * ids, the caller's own reference, one reference or several, words, changes in the log, another filter, else the
 * company. `lacks` is an expression for the permissions of fields that the reader does not hold, null for none.
 */
export function findRecords(
  companyId: number | Sql,
  definition: Definition,
  listing: ListRequest,
  lacks: Sql,
): ListingSource {
  const { words, updatedSince, ids, reference, among = [] } = listing
  const filter = servingField(definition, Object.keys(listing.filters))
  const several = servingField(
    definition,
    among.map(({ field }) => field),
  )
  const isReference = (field: string | undefined) =>
    field !== undefined && referenceOf(definition.fields[field]) !== undefined
  const isFound = words.length > 0 || updatedSince !== undefined
  const table = raw(definition.name)
  const [ofCompany, live, id] = [sql`r.company_id = ${companyId}`, sql`r.deleted_at is null`, sql`r.id`]
  const rest = (asked: ListRequest) => residualConditions(definition, asked, lacks)
  const those = (source: Sql, conditions: readonly Sql[]) =>
    conditions.length === 0 ? source : sql`${source} where ${joinConditions(conditions)}`

  if (ids) {
    const records = byKeys(definition.name, companyId as number, ids)
    return { from: those(records, [live, ...rest(listing)]), byId: undefined }
  }
  if (reference !== undefined) {
    const record = sql`(${liveNamed('*', definition.name, companyId, [referenceField, reference])}) r`
    return { from: those(record, rest(listing)), byId: undefined }
  }
  if (filter !== undefined && (isReference(filter) || !(isFound || isReference(several)))) {
    const column = sql`r.${raw(filter)}`
    const { [filter]: value, ...filters } = listing.filters
    const conditions = [ofCompany, equalsIndexed(column, value), live, ...rest({ ...listing, filters })]
    return { from: those(sql`${table} r`, conditions), byId: [column, id] }
  }
  if (several !== undefined && (isReference(several) || !isFound)) {
    const records = recordsAmong(companyId, definition, several, among)
    return {
      from: those(records, rest({ ...listing, among: among.filter(({ field }) => field !== several) })),
      byId: undefined,
    }
  }
  if (words.length > 0) return { from: those(byWords(companyId, definition, words), rest(listing)), byId: undefined }
  if (updatedSince !== undefined) {
    const records = recordsSince(companyId, definition, updatedSince)
    return { from: those(records, rest({ ...listing, updatedSince: undefined })), byId: undefined }
  }
  return { from: those(sql`${table} r`, [ofCompany, live, ...rest(listing)]), byId: [id] }
}

/**
 * Returns the filter whose index narrows most: a reference leads to fewer records than a state. Filters without an
 * index do not count.
 */
function servingField(definition: Definition, asked: readonly string[]): string | undefined {
  const indexed = equalityIndexes(definition).filter((name) => asked.includes(name))
  return indexed.find((name) => referenceOf(definition.fields[name])) ?? indexed[0]
}

/** Selects live records with one of these values of a field, value by value. */
function recordsAmong(companyId: number | Sql, definition: Definition, field: string, among: AmongFilter): Sql {
  const values = among.find((one) => one.field === field)?.values ?? []
  const column = sql`${raw(field)}`
  return sql`(select distinct value from unnest(${values}::${typeOf(definition, field)}[]) value) wanted
    cross join lateral (
      select * from ${raw(definition.name)} where company_id = ${companyId} and ${equalsIndexed(column, sql`wanted.value`)}
        and deleted_at is null ${inOrderOf(column, sql`id`)}
    ) r`
}

type AmongFilter = NonNullable<ListRequest['among']>

const typeOf = ({ fields }: Definition, name: string): Sql => {
  const field = fields[name] as Field
  return raw(kindOf(field).column(field))
}

/** The greatest company id that word keys can hold. The id of a forged token may be greater. */
const companyMax = raw('140737488355327')

/**
 * Returns the words as a telephone number, where the records have some: five digits or more, with signs between. Its
 * digits find a record as all of the words do.
 */
export function phoneAmong(definition: Definition, words: readonly string[]): string | undefined {
  const text = words.join(' ')
  const isPhone = /^[+0-9()./\p{Pd}\u2212 ]*$/u.test(text) && text.replaceAll(/\D/g, '').length >= 5
  return isPhone && phonesOf(definition).length > 0 ? text : undefined
}

/** Returns the condition on the words, or else one on the digits of a telephone number. */
function orByDigits(
  definition: Definition,
  words: readonly string[],
  ofWords: Sql,
  ofPhone: (field: Sql, text: string) => Sql,
) {
  const text = phoneAmong(definition, words)
  if (text === undefined) return ofWords
  return sql`(${joinConditions([ofWords, ...phonesOf(definition).map((name) => ofPhone(sql`r.${raw(name)}`, text))], ' or ')})`
}

/**
 * Selects records with all of these words. The keys of the words are hashed trigrams that contain the company.
 * `company_id + 0` keeps the planner from reading the company's whole key beside them. The search index has only live
 * records, by the condition `removal_id is null`.
 */
const byWords = (companyId: number | Sql, definition: Definition, words: readonly string[]): Sql => {
  const having = (keysOf: (name: 'word_keys' | 'phone_key', text: string) => Sql) =>
    orByDigits(
      definition,
      words,
      joinConditions(words.map((word) => sql`search_keys(r.company_id, r.search) @> ${keysOf('word_keys', word)}`)),
      (field, text) => sql`phone_keys(r.company_id, ${field}) @> ${keysOf('phone_key', text)}`,
    )
  return sql`(
      select * from ${raw(definition.name)} r where ${eitherSql(
        sql`r.company_id + 0 = ${companyId} and r.removal_id is null
        and ${having((name, text) => sql`(select ${raw(name)}(${companyId}, ${text}))`)}`,
        () => sql`r.company_id = ${companyId} and r.removal_id is null
        and ${having((name, text) => sql`${raw(name)}(least(${companyId}::bigint, ${companyMax}), ${text}::text)`)}`,
      )} offset 0
    ) r`
}

/** Changes of one resource beyond which reading the records of the company costs less than reading the log. */
const loggedMax = 10_000

/**
 * Selects live records that changed at a moment or later, as `r`. The log finds them: every change of a record adds a
 * row with the same time, in the same transaction. A table of records has no index of that time, because each update
 * would have to write it. If there are more changes than `loggedMax`, all records of the company are read instead. That
 * is decided once for the statement, by the log alone.
 */
function recordsSince(companyId: number | Sql, { name }: Definition, moment: string): Sql {
  const everyRecord = sql`(
      select * from ${raw(name)} r where r.company_id = ${companyId} and r.deleted_at is null and ${changedSince(moment)}
      ${inOrderOf(sql`r.id`)}
    ) r`
  return eitherSql(
    sql`(
      with logged as materialized (
        select record_id from history
        where company_id = ${companyId} and records = ${name} and at >= ${moment}::timestamptz
        order by at limit ${raw(String(loggedMax + 1))}
      ), size as materialized (
        select count(*) <= ${raw(String(loggedMax))} as is_small from logged
      )
      select r.* from (select distinct record_id from logged) changed
      cross join lateral ${byKey(name, companyId, raw('changed.record_id'))} r
      where (select is_small from size) and r.deleted_at is null and ${changedSince(moment)}
      union all
      select r.* from ${everyRecord} where not (select is_small from size)
    ) r`,
    // In a distributed database the log and the records have times of two servers.
    () => everyRecord,
  )
}

/** Returns the conditions beside the one by which the records are found. */
function residualConditions(definition: Definition, listing: ListRequest, lacks: Sql): Sql[] {
  const { filters, words, updatedSince, among = [], ranges = [] } = listing
  return [
    ...Object.entries(filters).map(([field, value]) => sql`r.${raw(field)} = ${value}`),
    ...(words.length === 0 ? [] : [foundWords(definition, words, lacks)]),
    ...(updatedSince === undefined ? [] : [changedSince(updatedSince)]),
    ...among.map(({ field, values }) => sql`r.${raw(field)} = any (${values}::${typeOf(definition, field)}[])`),
    ...ranges.flatMap(({ field, from, to }) => [
      ...(from === undefined ? [] : [sql`r.${raw(field)} >= ${from}::${typeOf(definition, field)}`]),
      ...(to === undefined ? [] : [sql`r.${raw(field)} <= ${to}::${typeOf(definition, field)}`]),
    ]),
  ]
}

/** Returns the condition that a record has the words, or the telephone number, in what the reader may see. */
const foundWords = (definition: Definition, words: readonly string[], lacks: Sql): Sql =>
  orByDigits(
    definition,
    words,
    joinConditions([
      // As a select of its own, the pattern of a word is computed once and not for each record.
      ...words.map((word) =>
        eitherSql(sql`r.search like (select containing(${word}))`, () => sql`r.search like containing(${word}::text)`),
      ),
      ...visibleWords(definition, words, lacks),
    ]),
    (field, text) => sql`has_digits(${field}, ${text})`,
  )

/**
 * Returns conditions for resources with a right on a searched field: each word must occur in fields that the reader may
 * see. The column `search` has all fields; this is the same expression over the others.
 */
function visibleWords({ fields, search }: Definition, words: readonly string[], lacks: Sql): Sql[] {
  if (words.length === 0 || search.every((name) => fields[name]?.right === undefined)) return []
  const texts = search.map((name) => {
    const right = fields[name]?.right
    const text = sql`coalesce(r.${raw(name)}, '')`
    return right ? sql`case when ${permissionOfRight(right)} = any (${lacks}) then '' else ${text} end` : text
  })
  const occurs = words.map((word) => sql`folded(${join(texts, " || ' ' || ")}) like containing(${word}::text)`)
  return [sql`(${lacks} is null or ${join(occurs, ' and ')})`]
}

const changedSince = (moment: string): Sql => sql`r.updated_at >= ${moment}::timestamptz`

const joinConditions = ([first, ...others]: readonly Sql[], word = ' and '): Sql =>
  others.reduce((before, condition) => sql`${before}${raw(word)}${condition}`, first as Sql)
