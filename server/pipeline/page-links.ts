import { offsetMax } from '#registry/limits.ts'
import type { Listing } from '#registry/listing.ts'

/** The pages around a page of a list, as `Link` (RFC 8288), so that nobody has to count. */

/** A longer query is not said back three times; `meta` says where the page is all the same. */
const queryLengthMax = 2000

type Page = { path: string; query: ReadonlyMap<string, string>; listing: Listing; total: number }

/** Undefined where the page is all there is, and where it was found by id. */
export function linksOf({ path, query, listing: { limit, offset, afterId }, total }: Page): string | undefined {
  const next = offset + limit
  const hasNext = next < total && next <= offsetMax
  if (afterId !== undefined || (offset === 0 && !hasNext)) return undefined
  const rest = [...query].filter(([name]) => name !== 'offset').map(([name, value]) => `${name}=${spelt(value)}&`)
  const base = `${path}?${rest.join('')}`
  if (base.length > queryLengthMax) return undefined
  const link = (at: number, relation: string): string => `<${base}offset=${at}>; rel="${relation}"`
  // Past the end, what comes before is the last page.
  const before = Math.max(0, Math.min(offset, total) - limit)
  return [
    ...(hasNext ? [link(next, 'next')] : []),
    ...(offset > 0 ? [link(before, 'prev'), link(0, 'first')] : []),
  ].join(', ')
}

const spelt = (value: string): string => encodeURIComponent(value).replaceAll('%2C', ',')
