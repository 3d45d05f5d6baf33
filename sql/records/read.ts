import { join, raw, type Sql } from 'sql-template-tag'
import type { Definition, ListWords } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import { pageSizeMax } from '#registry/limits.ts'
import type { ListRequest, PageCut } from '#registry/listing.ts'
import { memoize } from '#registry/memoize.ts'
import { byKey, inOrderOf } from '../access.ts'
import { type BatchableRead, batchMaxOf, createBatchableRead, type StatementInput } from '../batchable.ts'
import { identifier, type Statement, sql, statement } from '../statement.ts'
import { type CallerAsk, callerOf, callerTypes } from '../system/caller.ts'
import { rowCount } from '../system/row-counts.ts'
import { findRecords, narrows, phoneAmong } from './listing.ts'
import { currencyOf, recordJson } from './record-json.ts'
import { type LateSteps, selectTotals } from './totals.ts'

/** Reads a record and its caller. `json` is null if there is no such live record. */
export const fetchWithCaller = (
  ask: CallerAsk,
  definition: Definition,
  id: number,
  fields?: string[],
): Statement | BatchableRead =>
  // Callers can choose any fields, so there are too many texts to prepare.
  fields ? statement(fetchedWithCaller({ ...ask, id }, definition, fields)) : batchableFetch(definition)({ ...ask, id })

/** Reads a page, its exact total, and its caller. All come from one snapshot. */
export function listWithCaller(
  ask: CallerAsk,
  definition: Definition,
  listing: ListRequest,
): Statement | BatchableRead {
  const { limit, offset, afterId, fields } = listing
  const isPlain = !narrows(listing) && !fields && listing.sort.length === 0
  if (isPlain && afterId !== undefined) return batchableWalk(definition)({ ...ask, limit, offset, afterId })
  return isPlain && isNear(listing)
    ? batchablePage(definition)({ ...ask, limit, offset })
    : listedWithCaller(ask, definition, listing, {
        name: 'list',
        json: recordJson(definition, raw('caller.currency'), fields),
      })
}

/** Reads a page of the records that a reference can lead to, by id and title. */
export const choicesWithCaller = (ask: CallerAsk, definition: Definition, listing: ListRequest): Statement =>
  listedWithCaller(ask, definition, listing, { name: 'choices', json: selectTitle(definition) })

const selectTitle = ({ title }: Definition): Sql =>
  sql`(select row_to_json(choice)::text from (select r.id, r.${identifier(title)} as title) choice)`

/** Reads a page of records, each as an expression over the record `r`. */
const listedWithCaller = (
  ask: CallerAsk,
  definition: Definition,
  listing: ListRequest,
  { name, json }: { name: string; json: Sql },
): Statement => {
  const query = withCaller(ask, page({ ...ask, ...listing, lacks: lackedByCaller }, definition, listing, json))
  return listStatement(ask, definition, listing, query, listName(definition, listing, name))
}

/** Creates the statement of a listing. It is heavy if it reads much for each record, or many records. */
const listStatement = (
  { companyId }: { companyId: number },
  definition: Definition,
  listing: ListRequest,
  query: Sql,
  name?: string,
): Statement => {
  const made = statement(query, name)
  return isHeavy(definition, listing) ? { ...made, heavyOf: companyId } : made
}

/**
 * Returns whether a listing is expensive: sorted by a text, with a word without a trigram, far from the beginning, or
 * filtered without an index.
 */
const isHeavy = (definition: Definition, listing: ListRequest): boolean =>
  listing.sort.some(({ field }) => isSortedAsText(definition, field)) ||
  listing.words.some((word) => [...word].length < 3) ||
  listing.offset > heavyOffset ||
  (narrows(listing) && !narrows({ ...listing, ranges: [] }))

const heavyOffset = 10_000

const batchableFetch = memoize((definition: Definition) =>
  createBatchableRead<CallerAsk & { id: number }>({
    name: `${definition.name}.fetch`,
    types: { ...callerTypes, id: 'bigint' },
    batchMax: batchMaxOf.records,
    query: (asked) => fetchedWithCaller(asked, definition),
  }),
)

/** Returns the batchable read of a page of all records, and its caller. `cut` has the types of the page's range. */
const batchableList = <Cut extends PageCut>(name: string, cut: { readonly [part in keyof Cut]: string }) =>
  memoize((definition: Definition) =>
    createBatchableRead<CallerAsk & Cut>({
      name: `${definition.name}.${name}`,
      types: { ...callerTypes, ...cut },
      batchMax: batchMaxOf.pages,
      query(asked) {
        const json = recordJson(definition, raw('caller.currency'))
        return withCaller(asked, page({ ...asked, lacks: lackedByCaller }, definition, firstPage, json))
      },
    }),
  )

const batchablePage = batchableList<PageCut>('page', { limit: 'bigint', offset: 'bigint' })
const batchableWalk = batchableList<PageCut & { afterId: number }>('walk', {
  limit: 'bigint',
  offset: 'bigint',
  afterId: 'bigint',
})

/** A listing of all records, whose range is passed as values. */
const firstPage: ListRequest = { filters: {}, words: [], sort: [], limit: 0, offset: 0 }

/** Selects one record by its id, or by an expression for it, and its caller. */
export const fetchedWithCaller = (
  asked: StatementInput<CallerAsk & { id: number }>,
  definition: Definition,
  fields?: string[],
): Sql => withCaller(asked, selectRecord(asked, definition, raw('caller.currency'), fields))

/** A reader whose rights are checked already, with the permissions of fields it lacks. */
type KnownReader = { companyId: number; lacksRights: readonly string[] }

/** Reads a page for a reader whose rights are checked already. */
export function list(reader: KnownReader, definition: Definition, listing: ListRequest): Statement {
  const { companyId, lacksRights } = reader
  const json = recordJson(definition, currencyOf(companyId), listing.fields)
  const query = page({ ...listing, companyId, lacks: lackedBy(lacksRights) }, definition, listing, json)
  return listStatement(reader, definition, listing, query)
}

/** Adds up all records of a listing by the words of the list that the reader may see. */
export function totalsOf(
  reader: KnownReader,
  definition: Definition,
  listing: ListRequest,
  words: Pick<ListWords, 'totals' | 'due'>,
  late: LateSteps,
): Statement {
  const records = findRecords(reader.companyId, definition, listing, lackedBy(reader.lacksRights))
  return listStatement(reader, definition, listing, selectTotals(records, words, late))
}

/** Reads the ids of all records of a listing, in its order: an export reads them page by page. */
export function listIds(reader: KnownReader, definition: Definition, listing: ListRequest): Statement {
  const { companyId, lacksRights } = reader
  const query = sql`select coalesce(json_agg(id order by ${order(listing)}), '[]') as ids from (
    ${ids({ companyId, lacks: lackedBy(lacksRights) }, definition, listing)}
  ) found`
  return listStatement(reader, definition, listing, query)
}

export const fetch = (companyId: number, definition: Definition, id: number, fields?: readonly string[]): Statement =>
  statement(selectRecord({ companyId, id }, definition, currencyOf(companyId), fields))

const selectRecord = (
  { companyId, id }: StatementInput<{ companyId: number; id: number }>,
  definition: Definition,
  currency: Sql,
  fields?: readonly string[],
): Sql => sql`
    select r.version, ${recordJson(definition, currency, fields)} as json
    from ${byKey(definition.name, companyId, id)} r where r.deleted_at is null`

/** Selects columns with their caller. `besides` are further parts of the statement, which may use the caller. */
export const withCaller = (asked: StatementInput<CallerAsk>, wanted: Sql, besides: Sql = sql``): Sql =>
  sql`with caller as (${callerOf(asked)})${besides}
  select caller.*, wanted.* from caller left join lateral (${wanted}) wanted on true`

/** The range of a page: after an id, or after a number of records. */
type PageRange = PageCut & { afterId?: number | undefined }

function page(
  { companyId, lacks, limit, offset, afterId }: Reader & StatementInput<PageRange>,
  definition: Definition,
  listing: ListRequest,
  json: Sql,
): Sql {
  const cut = sql`limit ${limit} offset ${offset}`
  const { from, byId } = findRecords(companyId, definition, listing, lacks)
  const total = (counted: Sql) =>
    narrows(listing) ? sql`(select count(*) from ${counted})` : rowCount(companyId, definition.name)
  const records = (source: Sql) => sql`(select coalesce(string_agg(${json}, ','), '') from (${source}) r)`
  // Ids are selected first, from an index if it has all columns needed. Only the records of the page are looked up.
  const looked = (source: Sql) => sql`(select coalesce(string_agg((
        select ${json} from ${byKey(definition.name, companyId, raw('page.id'))} r
      ), ','), '') from (${source}) page)`

  // A walk reads one record more than it shows, which tells whether there is another page.
  const walk = (source: Sql, shownRow: Sql) => sql`
    (
      select coalesce(string_agg(${shownRow}, ',') filter (where r.place <= ${limit}::bigint), '') as json,
        max(r.id) filter (where r.place <= ${limit}::bigint) as last_id, count(*) > ${limit}::bigint as has_more
      from (select r.*, row_number() over () as place from (${source} limit ${limit}::bigint + 1) r) r
    ) walk`

  if (byId && listing.sort.length === 0) {
    const counted = sql`(select from ${from} ${inOrderOf(...byId)}) counted`
    const inOrder = sql`${afterIdCondition(afterId, ' and r.id')} order by ${join([...byId])}`
    if (afterId !== undefined)
      return sql`
    select ${total(counted)} as total, walk.* from ${walk(sql`select r.* from ${from} ${inOrder}`, json)}`
    const ordered = sql`${inOrder} ${cut}`
    return sql`
    select
      ${total(counted)} as total,
      ${isNear(listing) ? records(sql`select r.* from ${from} ${ordered}`) : looked(sql`select r.id from ${from} ${ordered}`)} as json`
  }
  // The result of a search, of the log or of named ids is found once, for the total and for the page.
  const isFoundOnce = listing.words.length > 0 || listing.updatedSince !== undefined || listing.ids !== undefined
  const foundPage = sql`select id from found${afterIdCondition(afterId, ' where id')} order by ${order(listing)}`
  const shownById = sql`(select ${json} from ${byKey(definition.name, companyId, raw('r.id'))} r)`
  return sql`
    with found as ${raw(isFoundOnce ? 'materialized' : 'not materialized')} (
      ${ids({ companyId, lacks }, definition, listing)}
    )
    ${
      afterId === undefined
        ? sql`select
      ${total(sql`found`)} as total,
      ${looked(sql`${foundPage} ${cut}`)} as json`
        : sql`select ${total(sql`found`)} as total, walk.* from ${walk(foundPage, shownById)}`
    }`
}

/**
 * The company whose records are read, and an expression for the permissions of fields that the reader lacks, null for
 * none. The text search ignores withheld fields.
 */
type Reader = { companyId: number | Sql; lacks: Sql }

/** The permissions that the caller lacks, whose row the same statement reads. */
const lackedByCaller = raw('caller.lacks_rights')
const lackedBy = (lacks: readonly string[]): Sql => sql`${lacks.length === 0 ? null : lacks}::text[]`

/** Selects the ids of a listing, with the columns they are sorted by. */
function ids({ companyId, lacks }: Reader, definition: Definition, listing: ListRequest): Sql {
  const { from, byId } = findRecords(companyId, definition, listing, lacks)
  const terms = raw(
    listing.sort.map(({ field }, place) => `, ${sortTerm(definition, field)} as sort_${place}`).join(''),
  )
  return sql`select r.id${terms} from ${from}${byId ? sql` ${inOrderOf(...byId)}` : sql``}`
}

/** Returns the condition of a page that begins after an id. */
const afterIdCondition = (afterId: number | Sql | undefined, id: string): Sql =>
  afterId === undefined ? sql`` : sql`${raw(id)} > ${afterId}`

/** Returns whether a page is near the beginning: reading the records before it costs little. */
const isNear = ({ offset }: ListRequest): boolean => offset <= pageSizeMax * 10

const order = ({ sort }: ListRequest): Sql =>
  raw([...sort.map(({ descending }, place) => `sort_${place}${direction(descending)}`), 'id'].join(', '))

/** Returns the expression to sort by. Capitals and accents of texts do not count. */
const sortTerm = (definition: Definition, field: string): string =>
  isSortedAsText(definition, field) ? `folded(r.${field})` : `r.${field}`

const isSortedAsText = ({ fields }: Definition, name: string): boolean => kindOf(fields[name] as Field).text === 'line'

const direction = (descending: boolean): string => `${descending ? ' desc' : ''} nulls last`

/**
 * Returns the name of the prepared statement, or undefined if too many names are possible: a caller must not fill a
 * connection with statements.
 */
function listName(definition: Definition, listing: ListRequest, as: string): string | undefined {
  const { filters, words, sort, updatedSince, afterId, fields, ids, among = [], ranges = [], reference } = listing
  const narrowed = [
    ...Object.keys(filters).sort(),
    ...(words.length > 0 ? [`${phoneAmong(definition, words) === undefined ? 'q' : 'phone'}${words.length}`] : []),
    ...(reference === undefined ? [] : ['reference']),
    ...(updatedSince === undefined ? [] : ['since']),
  ]
  const chosen = [
    ...(ids ? ['ids'] : []),
    ...among.map(({ field }) => `in-${field}`),
    ...ranges.map(
      ({ field, from, to }) => `${field}${from === undefined ? '' : '-from'}${to === undefined ? '' : '-to'}`,
    ),
  ]
  const isRare = chosen.length > 0 && chosen.length + narrowed.length > 1
  if (fields || sort.length > 0 || words.length > 3 || isRare) return undefined
  const parts = [
    ...narrowed,
    ...chosen,
    ...(afterId === undefined ? [] : ['after']),
    ...(isNear(listing) ? [] : ['far']),
  ]
  return `${definition.name}.${as}:${parts.join(',')}`
}
