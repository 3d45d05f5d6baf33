import { join, raw, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { pageSizeMax } from '#registry/limits.ts'
import { type Askable, type BriefStatement, brief } from './brief.ts'
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

const recordsTogether = 32
const pagesTogether = 4

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
  return brief(`${definition.name}.fetch`, { ...callerTypes, id: 'bigint' }, asked, recordsTogether, query)
}

/** A page, its exact total, and its caller. Both come from one snapshot. */
export function listWithCaller(ask: CallerAsk, definition: Definition, listing: Listing): Statement | BriefStatement {
  const query = (asked: Askable<CallerAsk & Cut>) =>
    withCaller(asked, page(asked, definition, listing, raw('caller.currency')))
  const { limit, offset } = listing
  const asked = { ...ask, limit, offset }
  if (!isFirstPages(listing)) return statement(query(asked), listName(definition, listing))
  return brief(
    `${definition.name}.page`,
    { ...callerTypes, limit: 'bigint', offset: 'bigint' },
    asked,
    pagesTogether,
    query,
  )
}

/** A page for somebody whose rights have been seen already. */
export const list = (companyId: number, definition: Definition, listing: Listing): Statement =>
  statement(page({ ...listing, companyId }, definition, listing, currencyOf(companyId)))

/** The ids of everything a listing finds, in its order: what an export reads page by page. */
export const listIds = (companyId: number, definition: Definition, listing: Listing): Statement =>
  statement(sql`select coalesce(json_agg(found.id order by found.place), '[]') as ids from (
    select r.id, row_number() over (order by ${order(definition, listing)}) as place
    from ${raw(definition.name)} r where ${conditions(companyId, listing)}
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
  const where = conditions(companyId, listing)
  // The page is cut first, so that JSON is built for its records alone.
  return sql`
    select
      ${narrows(listing) ? sql`(select count(*) from ${table} r where ${where})` : tallied(companyId, definition.name)} as total,
      (select coalesce(string_agg(${shown(definition, currency, listing.fields)}, ','), '') from (
        select r.* from ${table} r where ${where}
        order by ${order(definition, listing)} limit ${limit} offset ${offset}
      ) r) as json`
}

/** Without any condition of its own, a list holds every live record, and their number is known. */
const narrows = ({ filters, words, updatedSince, ids, among = [], days = [] }: Listing): boolean =>
  Object.keys(filters).length + words.length + among.length + days.length > 0 ||
  updatedSince !== undefined ||
  ids !== undefined

/** A whole page near the beginning, in the order of its index. */
const isFirstPages = (listing: Listing): boolean =>
  !narrows(listing) && !listing.fields && listing.sort.length === 0 && listing.offset <= pageSizeMax * 10

function conditions(companyId: number | Sql, listing: Listing): Sql {
  const { filters, words, updatedSince, ids, among = [], days = [] } = listing
  return join(
    [
      sql`r.company_id = ${companyId}`,
      sql`r.deleted_at is null`,
      ...Object.entries(filters).map(([field, value]) => sql`r.${raw(field)} = ${value}`),
      ...words.map((word) => sql`r.search like containing(${word})`),
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

function order(definition: Definition, { sort }: Listing): Sql {
  const terms = sort.map(({ field, descending }) => {
    // Words are ordered as people read them: capitals and accents do not count.
    const term = definition.fields[field]?.kind === 'text' ? `folded(r.${field})` : `r.${field}`
    return raw(`${term}${descending ? ' desc' : ''} nulls last`)
  })
  return join([...terms, sql`r.id`], ', ')
}

/** Prepared under a name only where few names are possible; a caller cannot fill a connection with statements. */
function listName({ name }: Definition, listing: Listing): string | undefined {
  const { filters, words, sort, updatedSince, fields, ids, among, days } = listing
  if (fields || sort.length > 0 || words.length > 3 || ids || among || days) return undefined
  const parts = [...Object.keys(filters).sort(), `q${words.length}`, ...(updatedSince === undefined ? [] : ['since'])]
  return `${name}.list:${parts.join(',')}`
}
