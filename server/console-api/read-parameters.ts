import { dayMilliseconds, momentOf } from '#derive/moment.ts'
import { invalidParameter, isValueOf, quoteText, readCut, readListing, readPairs } from '#derive/query.ts'
import type { ResourceRoute } from '#derive/routes.ts'
import { rightsOfQuery } from '#derive/visible.ts'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { ListRequest } from '#registry/listing.ts'
import { invalidField } from '#registry/refusals.ts'
import type { Statement } from '#sql/statement.ts'
import type { Actor } from '../records/actor.ts'
import { needFieldRights } from '../records/rights.ts'
import type { AdmittedRequest } from './operation-request.ts'

type Page = { limit: number; offset: number }

/** Returns the requested page, by the rules of lists of /v1. */
export const readPage = (parameters: { readonly limit?: string; readonly offset?: string }): Page =>
  readCut(new Map(Object.entries(parameters)))

/** Reads the rows of a page, and the number of all rows. */
export async function rowsOf<Row>({ read }: AdmittedRequest, wanted: Page, rows: Statement, count: Statement) {
  const [found, [counted]] = await read(({ run }) => Promise.all([run<Row>(rows), run<{ total: number }>(count)]))
  return { data: found, meta: { total: counted?.total ?? 0, ...wanted } }
}

/** Returns the moment of a body's member. Throws if it is none. */
export function readMoment(field: string, text: string): Date {
  const moment = momentOf(text)
  if (moment === undefined) throw invalidField(field, 'wrong_format', 'must be a moment like 2026-03-31T12:00:00Z')
  return new Date(moment)
}

export const day: Field = { kind: 'date', example: '2026-03-31', about: '' }

/** Returns the span of a parameter: a whole day, or a moment. Throws if it is neither. */
export function readDayOrMoment(name: string, value: string | undefined): { begins: string; ends: string } | undefined {
  if (value === undefined) return undefined
  if (isValueOf(day, value)) {
    const begins = new Date(`${value}T00:00:00Z`)
    return { begins: begins.toISOString(), ends: new Date(begins.getTime() + dayMilliseconds).toISOString() }
  }
  const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value) ? new Date(value) : new Date(Number.NaN)
  if (Number.isNaN(moment.getTime()) || moment.getUTCFullYear() < 1)
    throw invalidParameter(
      name,
      `is ${quoteText(value)}; it must be a day like 2026-03-31 or a moment like 2026-03-31T12:00:00Z`,
    )
  return { begins: moment.toISOString(), ends: new Date(moment.getTime() + 1).toISOString() }
}

/**
 * Parses the parameters of a list, `without` some: those of /v1 for every field, with several values where a field allows
 * them.
 */
export function readConsoleListing(
  query: string,
  route: ResourceRoute,
  actor: Actor,
  without: readonly string[] = [],
): ListRequest {
  const { definition } = route
  needFieldRights(actor, rightsOfQuery(definition, query))
  const known = route.parameterNames.filter((name) => !without.includes(name))
  const pairs = readPairs(query, known, `${route.method} ${route.path}`)
  for (const [name, value] of pairs) {
    if (!value.includes(',') || !known.includes(`${name}_in`)) continue
    pairs.delete(name)
    pairs.set(`${name}_in`, value)
  }
  return readListing(pairs, definition)
}

/** Returns the definition with a filter for every comparable field. References and choices have an index anyway. */
export const withEveryFilter = (definition: Definition): Definition => ({
  ...definition,
  filters: Object.entries(definition.fields).flatMap(([name, field]) =>
    ['one', 'several'].includes(kindOf(field).filter ?? '') ? [name] : [],
  ),
})
