import { Compile } from 'typebox/schema'
import { referenceField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import { removeInvisible } from '#registry/invisible.ts'
import { filterValuesMax, idMax, offsetMax, pageSizeDefault, pageSizeMax, searchLengthMax } from '#registry/limits.ts'
import type { FilterValue, ListRequest, PageCut } from '#registry/listing.ts'
import { memoize } from '#registry/memoize.ts'
import { Refusal } from '#registry/refusals.ts'
import { momentOf } from './moment.ts'
import { type Filter, filtersOf, sortableFields } from './parameters.ts'
import type { DataRoute } from './routes.ts'

/** How a query is read. Decisions, Lists. */

/** The parameters of a query, each known to the route and given once, or the refusal of the first that is not. */
export function readQuery(query: string, { parameterNames, method, path }: QueryRoute): Map<string, string> {
  return query === '' ? new Map() : readPairs(query, parameterNames, `${method} ${path}`)
}

type QueryRoute = Pick<DataRoute, 'parameterNames' | 'method' | 'path'>

/**
 * Parses a query whose parameters may be those of `known`, each once. Throws the refusal of the first that is not; its
 * message says that `taker` does not take the parameter.
 */
export function readPairs(query: string, known: readonly string[], taker: string): Map<string, string> {
  const pairs = new Map<string, string>()
  for (const part of query.split('&').filter((part) => part !== '')) {
    const [name = '', value = ''] = splitOnce(part, '=').map(decodeText)
    if (!known.includes(name)) {
      throw new Refusal('unknown_parameter', {
        detail: `${quoteText(name)} is not a parameter of ${taker}; it takes ${known.join(', ') || 'none'}.`,
      })
    }
    if (pairs.has(name)) throw invalidParameter(name, 'is given twice')
    pairs.set(name, value)
  }
  return pairs
}

export function readListing(query: ReadonlyMap<string, string>, definition: Definition): ListRequest {
  const fields = readFields(query, definition)
  const updatedSince = readInstant('updated_since', query.get('updated_since'))
  const afterId = readAfterId(query)
  return {
    ...readFilters(query, definition, filtersOf(definition)),
    words: readWords(query.get('q')),
    sort: readSort(query.get('sort'), definition),
    updatedSince,
    afterId,
    ...readCut(query),
    fields,
  }
}

/** A page of what a field can refer to: always a walk by id. */
export const readChoosing = (query: ReadonlyMap<string, string>): Pick<ListRequest, 'words' | 'limit' | 'afterId'> => ({
  words: readWords(query.get('q')),
  limit: readCut(query).limit,
  afterId: readAfterId(query) ?? 0,
})

/** Where a page is cut. */
export const readCut = (query: ReadonlyMap<string, string>): PageCut => ({
  limit: Math.min(
    readInteger('limit', query.get('limit'), 1, Number.POSITIVE_INFINITY) ?? pageSizeDefault,
    pageSizeMax,
  ),
  offset: readInteger('offset', query.get('offset'), 0, offsetMax) ?? 0,
})

/** By id a page is found again whatever was deleted before it; another order has no such place. */
function readAfterId(query: ReadonlyMap<string, string>): number | undefined {
  const afterId = readInteger('after_id', query.get('after_id'), 0, idMax)
  const other = ['offset', 'sort'].find((name) => query.has(name))
  if (afterId !== undefined && other !== undefined)
    throw invalidParameter('after_id', `does not go together with ${other}`)
  return afterId
}

export function readFields(query: ReadonlyMap<string, string>, definition: Definition): string[] | undefined {
  const given = query.get('fields')
  if (given === undefined) return undefined
  const names = given.split(',').map((name) => name.trim())
  const known = Object.keys(definition.fields)
  const wrong = names.find((name) => !known.includes(name))
  if (wrong !== undefined)
    throw invalidParameter('fields', `names ${quoteText(wrong)}, which is no field; the fields are ${known.join(', ')}`)
  return names
}

/** Decisions, Dry-run: `1`/`true` or `0`/`false`; anything else is refused and nothing runs. */
export function readDryRun(value: string | undefined, where: string): boolean {
  if (value === undefined || value === '0' || value === 'false') return false
  if (value === '1' || value === 'true') return true
  throw new Refusal('invalid_dry_run', {
    detail: `${where} is ${quoteText(value)}; send 1 or true for a dry-run, 0 or false for a real call. Nothing was done.`,
  })
}

type Filters = Pick<ListRequest, 'filters' | 'ids' | 'reference' | 'among' | 'ranges'>

function readFilters(query: ReadonlyMap<string, string>, { fields }: Definition, known: readonly Filter[]): Filters {
  const sent = known.filter(({ parameter }) => query.has(parameter))
  const valueIn = ({ parameter, field }: Filter, text = query.get(parameter) as string) =>
    readFilterValue(parameter, fields[field] as Field, text)
  const valuesOf = (filter: Filter) =>
    readItems(filter.parameter, query.get(filter.parameter) as string).map((text) => valueIn(filter, text))
  const taking = (takes: Filter['takes']) => sent.filter((filter) => filter.takes === takes)

  const one = taking('one').map((filter) => [filter.field, valueIn(filter)] as const)
  const reference = one.find(([field]) => field === referenceField)?.[1] as string | undefined
  const several = taking('several').map((filter) => ({ field: filter.field, values: valuesOf(filter) }))
  const isIds = (field: string) => kindOf(fields[field] as Field).filter === 'ids'
  const ids = several.find(({ field }) => isIds(field))?.values as number[] | undefined
  return {
    filters: Object.fromEntries(one.filter(([field]) => field !== referenceField)),
    ids,
    reference,
    among: several.filter(({ field }) => !isIds(field)),
    ranges: readRanges(taking('from'), taking('to'), valueIn),
  }
}

function readRanges(froms: readonly Filter[], tos: readonly Filter[], valueIn: (filter: Filter) => FilterValue) {
  const fields = [...new Set([...froms, ...tos].map(({ field }) => field))]
  return fields.map((field) => {
    const [from, to] = [froms, tos].map((ends) => ends.find((end) => end.field === field))
    const range = { field, ...(from && { from: valueIn(from) }), ...(to && { to: valueIn(to) }) }
    if (from && to && (range.from as FilterValue) > (range.to as FilterValue))
      throw invalidParameter(from.parameter, `is ${quoteText(String(range.from))}, which is after ${to.parameter}`)
    return range
  })
}

/** The items of a list with commas between. */
function readItems(name: string, value: string): string[] {
  const items = value.split(',')
  if (items.length > filterValuesMax) throw invalidParameter(name, `names more than ${filterValuesMax} values`)
  return items
}

function readFilterValue(name: string, field: Field, text: string): FilterValue {
  const { type } = kindOf(field).schema(field)
  if (type === 'integer') return readInteger(name, text, 1, idMax) as number
  const value = type === 'boolean' && ['true', 'false'].includes(text) ? text === 'true' : text
  if (isValueOf(field, value) && text.trim() !== '') return typeof value === 'string' ? value.trim() : value
  throw invalidParameter(name, `is ${quoteText(text)}; it ${kindOf(field).must(field)}`)
}

/**
 * Whether a field can have the value as it is, without anything taken off it. A text that would be refused today may be
 * stored.
 */
export const isValueOf = (field: Field, value: FilterValue): boolean =>
  validatorOf(field).Check(value) && !kindOf(field).refuses?.(field, value)

const validatorOf = memoize((field: Field) => Compile(kindOf(field).schema(field)))

function readWords(value: string | undefined): string[] {
  const words = (value ?? '').trim()
  if ([...words].length > searchLengthMax) throw invalidParameter('q', `has more than ${searchLengthMax} characters`)
  // A word that nobody sees would be found in every record.
  return words.split(/\s+/u).filter((word) => removeInvisible(word) !== '')
}

function readSort(value: string | undefined, definition: Definition): ListRequest['sort'] {
  if (value === undefined) return []
  const sortable = sortableFields(definition)
  const terms = value.split(',').map((term) => ({ field: term.replace(/^-/, ''), descending: term.startsWith('-') }))
  const wrong = terms.find(({ field }) => !sortable.includes(field))
  if (wrong) throw invalidParameter('sort', `names ${quoteText(wrong.field)}; it can name ${sortable.join(', ')}`)
  return terms.filter((term, at) => terms.findIndex(({ field }) => field === term.field) === at)
}

function readInstant(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  // A plus sign that was not percent-encoded has become a blank, which no moment has.
  const moment = momentOf(value.replace(' ', '+'))
  if (moment === undefined)
    throw invalidParameter(name, `is ${quoteText(value)}; it must be a moment like 2026-03-31T12:00:00Z`)
  return moment
}

/** Digits only: Number("") is 0 and Number("1e3") is 1000. */
export function readInteger(name: string, value: string | undefined, min: number, max: number): number | undefined {
  if (value === undefined) return undefined
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (number >= min && number <= max) return number
  throw invalidParameter(
    name,
    `is ${quoteText(value)}; it must be a whole number from ${min}${max === Number.POSITIVE_INFINITY ? ' up' : ` to ${max}`}`,
  )
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function decodeText(text: string): string {
  const plain = decodePercent(text.replaceAll('+', ' '))
  if (plain.includes('\0')) throw new Refusal('invalid_parameter', { detail: 'The query contains a NUL character.' })
  return plain
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Refusal('invalid_parameter', { detail: 'The query is not percent-encoded UTF-8.' })
  }
}

export const invalidParameter = (name: string, what: string): Refusal =>
  new Refusal('invalid_parameter', { detail: `${name} ${what}.` })

/** What somebody sent, short enough to be said back. */
export const quoteText = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
