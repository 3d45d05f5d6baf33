import { invalid, quoted, readInteger, readListing, readPairs } from '#derive/query.ts'
import type { ResourceRoute } from '#derive/routes.ts'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import { idMax, pageSizeMax } from '#registry/limits.ts'
import type { Listing } from '#registry/listing.ts'

/**
 * What the lists of the console take beside the parameters of /v1: `ids`, several values of a choice, every
 * reference, choice and flag as a filter, and days from and to.
 */
export function readConsoleListing(
  query: string,
  route: ResourceRoute,
  paging: 'page' | 'everything' = 'page',
): Listing {
  const { definition } = route
  const known = route.parameterNames.filter((name) => paging === 'page' || !['limit', 'offset'].includes(name))
  const dates = fieldsOf(definition, ({ kind }) => kind === 'date')
  const edges = dates.flatMap((name) => [`${name}_from`, `${name}_to`])
  const pairs = readPairs(query, [...known, 'ids', ...edges], `${route.method} ${route.path}`)

  const ids = readIds(pairs.get('ids'))
  const among = severalOf(definition, pairs)
  const days = dates.flatMap((field) => readDays(field, pairs.get(`${field}_from`), pairs.get(`${field}_to`)))
  for (const { field } of among) pairs.delete(field)
  if (ids && !pairs.has('limit')) pairs.set('limit', String(pageSizeMax))
  return {
    ...readListing(pairs, definition),
    ...(ids ? { ids } : {}),
    ...(among.length > 0 ? { among } : {}),
    ...(days.length > 0 ? { days } : {}),
  }
}

/** Every field that can be compared by equality; each reference, choice of a state and flag has its index anyway. */
export const withEveryFilter = (definition: Definition): Definition => ({
  ...definition,
  filters: fieldsOf(definition, ({ kind }) => ['choice', 'reference', 'flag'].includes(kind)),
})

const fieldsOf = ({ fields }: Definition, test: (field: Field) => boolean): string[] =>
  Object.keys(fields).filter((name) => test(fields[name] as Field))

function readIds(value: string | undefined): number[] | undefined {
  if (value === undefined) return undefined
  const ids = value.split(',').map((part) => readInteger('ids', part, 1, idMax) as number)
  if (ids.length > pageSizeMax) throw invalid('ids', `names more than ${pageSizeMax} records`)
  return ids
}

/** `status=ACTIVE,ON_HOLD`: either of them. */
function severalOf(definition: Definition, pairs: ReadonlyMap<string, string>) {
  return [...pairs].flatMap(([field, value]) => {
    const of = definition.fields[field]
    if (of?.kind !== 'choice' || !value.includes(',')) return []
    const values = value.split(',')
    const wrong = values.find((one) => !of.values.includes(one))
    if (wrong !== undefined) throw invalid(field, `has ${quoted(wrong)}; it ${kindOf(of).must(of)}`)
    return [{ field, values }]
  })
}

function readDays(field: string, from: string | undefined, to: string | undefined) {
  if (from === undefined && to === undefined) return []
  return [{ field, ...readDay(`${field}_from`, 'from', from), ...readDay(`${field}_to`, 'to', to) }]
}

const day: Field = { kind: 'date', example: '2026-03-31', about: '' }

function readDay(name: string, edge: 'from' | 'to', value: string | undefined): { from?: string; to?: string } {
  if (value === undefined) return {}
  if (!isDay(value)) throw invalid(name, `is ${quoted(value)}; it ${kindOf(day).must(day)}`)
  return { [edge]: value }
}

/** A day of the calendar, as records hold it. */
export const isDay = (value: string): boolean =>
  /^(?!0000)\d{4}-\d{2}-\d{2}$/.test(value) && !kindOf(day).refuses?.(day, value)
