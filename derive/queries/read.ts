import { join, raw, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { pageSizeMax } from '#registry/limits.ts'
import { type Askable, type BriefStatement, brief, togetherMax } from './brief.ts'
import { type CallerAsk, callerOf, callerTypes } from './caller.ts'
import { currencyOf, shown } from './shown.ts'
import { type Statement, sql, statement } from './statement.ts'
import { tallied } from './tally.ts'

/** The records a list is asked for. */
export type Listing = {
  filters: { readonly [field: string]: string | number | boolean }
  /** The words that must all occur. */
  words: readonly string[]
  sort: readonly { field: string; descending: boolean }[]
  updatedSince?: string
  /** What the web interface asks besides: these records alone, one of several values, days from one to another. */
  ids?: readonly number[]
  among?: readonly { field: string; values: readonly string[] }[]
  days?: readonly { field: string; from?: string; to?: string }[]
  limit: number
  offset: number
  fields?: readonly string[]
}

/** A record and its caller. `json` is null where there is no such live record. */
export function fetchWithCaller(
  ask: CallerAsk,
  definition: Definition,
  id: number,
  fields?: string[],
): Statement | BriefStatement {
  const query = (asked: Askable<CallerAsk & { id: number }>) =>
    withCaller(
      asked,
      sql`
    select r.version, ${shown(definition, raw('caller.currency'), fields)} as json
    from ${raw(definition.name)} r
    where r.company_id = ${asked.companyId} and r.id = ${asked.id} and r.deleted_at is null`,
    )
  const asked = { ...ask, id }
  // Any choice of fields can come.
  if (fields) return statement(query(asked))
  return brief(`${definition.name}.fetch`, { ...callerTypes, id: 'bigint' }, asked, togetherMax.records, query)
}

/** A page, its exact total, and its caller. Both come from one snapshot. */
export function listWithCaller(ask: CallerAsk, definition: Definition, listing: Listing): Statement | BriefStatement {
  const query = (asked: Askable<CallerAsk & Cut>) =>
    withCaller(asked, page(asked, definition, listing, raw('caller.currency')))
  const { limit, offset } = listing
  const asked = { ...ask, limit, offset }
  if (narrows(listing) || listing.fields || !isNear(listing))
    return statement(query(asked), listName(definition, listing))
  return brief(
    `${definition.name}.page`,
    { ...callerTypes, limit: 'bigint', offset: 'bigint' },
    asked,
    togetherMax.pages,
    query,
  )
}

/** A page for somebody whose rights have been seen already. */
export const list = (companyId: number, definition: Definition, listing: Listing): Statement =>
  statement(page({ ...listing, companyId }, definition, listing, currencyOf(companyId)))

/** The ids of everything a listing finds, in its order: what an export reads page by page. */
export const listIds = (companyId: number, definition: Definition, listing: Listing): Statement =>
  statement(sql`select coalesce(json_agg(id order by ${order(listing)}), '[]') as ids from (
    select r.id${sortedBy(definition, listing)} from ${raw(definition.name)} r where ${conditions(companyId, listing)}
  ) found`)

export const fetch = (companyId: number, definition: Definition, id: number, fields?: readonly string[]): Statement =>
  statement(
    sql`select r.version, ${shown(definition, currencyOf(companyId), fields)} as json
    from ${raw(definition.name)} r
    where r.company_id = ${companyId} and r.id = ${id} and r.deleted_at is null`,
  )

const withCaller = (asked: Askable<CallerAsk>, wanted: Sql): Sql =>
  sql`with caller as (${callerOf(asked)})
  select caller.*, wanted.* from caller left join lateral (${wanted}) wanted on true`

/** Where a page is cut. */
type Cut = { limit: number; offset: number }

function page(
  { companyId, limit, offset }: Askable<Cut & { companyId: number }>,
  definition: Definition,
  listing: Listing,
  currency: Sql,
): Sql {
  const table = raw(definition.name)
  const cut = sql`limit ${limit} offset ${offset}`
  const json = shown(definition, currency, listing.fields)
  const where = conditions(companyId, listing)
  const total = (counted: Sql) =>
    narrows(listing) ? sql`(select count(*) from ${counted})` : tallied(companyId, definition.name)
  if (isNear(listing)) {
    return sql`
    select
      ${total(sql`${table} r where ${where}`)} as total,
      (select coalesce(string_agg(${json}, ','), '') from (
        select r.* from ${table} r where ${where} order by r.id ${cut}
      ) r) as json`
  }
  // Ids come first, from an index where one has all that is asked; the records of the page alone are looked up. What
  // a search finds is found once, for the total and for the page.
  return sql`
    with found as ${raw(listing.words.length > 0 ? 'materialized' : 'not materialized')} (
      select r.id${sortedBy(definition, listing)} from ${table} r where ${where}
    )
    select
      ${total(sql`found`)} as total,
      (select coalesce(string_agg((
        select ${json} from ${table} r where r.company_id = ${companyId} and r.id = page.id
      ), ','), '') from (
        select id from found order by ${order(listing)} ${cut}
      ) page) as json`
}

/** Without any condition of its own, a list holds every live record, and their number is known. */
const narrows = ({ filters, words, updatedSince, ids, among = [], days = [] }: Listing): boolean =>
  Object.keys(filters).length + words.length + among.length + days.length > 0 ||
  updatedSince !== undefined ||
  ids !== undefined

/** A page near the beginning, in the order of its index: reading what stands before it costs little. */
const isNear = ({ words, sort, offset }: Listing): boolean =>
  words.length === 0 && sort.length === 0 && offset <= pageSizeMax * 10

function conditions(companyId: number | Sql, listing: Listing): Sql {
  const { filters, words, updatedSince, ids, among = [], days = [] } = listing
  // The keys of the words hold the company. Beside them its whole index would be read, were it taken for a condition
  // that an index can serve; with another condition an index has both.
  const byWordsAlone = words.length > 0 && !narrows({ ...listing, words: [] })
  return join(
    [
      byWordsAlone ? sql`r.company_id + 0 = ${companyId}` : sql`r.company_id = ${companyId}`,
      sql`r.deleted_at is null`,
      ...Object.entries(filters).map(([field, value]) => sql`r.${raw(field)} = ${value}`),
      // As a select of its own, what follows from a word alone is computed once and not for each record.
      ...words.flatMap((word) => [
        sql`search_keys(r.company_id, r.search) @> (select word_keys(${companyId}, ${word}))`,
        sql`r.search like (select containing(${word}))`,
      ]),
      ...(updatedSince === undefined ? [] : [sql`r.updated_at >= ${updatedSince}::timestamptz`]),
      ...(ids ? [sql`r.id = any (${ids}::bigint[])`] : []),
      ...among.map(({ field, values }) => sql`r.${raw(field)} = any (${values}::text[])`),
      ...days.flatMap(({ field, from, to }) => [
        ...(from === undefined ? [] : [sql`r.${raw(field)} >= ${from}::date`]),
        ...(to === undefined ? [] : [sql`r.${raw(field)} <= ${to}::date`]),
      ]),
    ],
    ' and ',
  )
}

const sortedBy = (definition: Definition, { sort }: Listing): Sql =>
  raw(sort.map(({ field }, place) => `, ${sortTerm(definition, field)} as sort_${place}`).join(''))

const order = ({ sort }: Listing): Sql =>
  raw([...sort.map(({ descending }, place) => `sort_${place}${direction(descending)}`), 'id'].join(', '))

/** Words are ordered as people read them: capitals and accents do not count. */
const sortTerm = (definition: Definition, field: string): string =>
  definition.fields[field]?.kind === 'text' ? `folded(r.${field})` : `r.${field}`

const direction = (descending: boolean): string => `${descending ? ' desc' : ''} nulls last`

/** Prepared under a name only where few names are possible; a caller cannot fill a connection with statements. */
function listName({ name }: Definition, listing: Listing): string | undefined {
  const { filters, words, sort, updatedSince, fields, ids, among, days } = listing
  if (fields || sort.length > 0 || words.length > 3 || ids || among || days) return undefined
  const parts = [
    ...Object.keys(filters).sort(),
    `q${words.length}`,
    ...(updatedSince === undefined ? [] : ['since']),
    ...(isNear(listing) ? [] : ['far']),
  ]
  return `${name}.list:${parts.join(',')}`
}
