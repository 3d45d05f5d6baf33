import { offsetMax } from '#registry/limits.ts'
import type { PageCut } from '#registry/listing.ts'

/** Links to the pages around a page of a list, as the header `Link` (RFC 8288). */

/** Proxies commonly take 4 KiB of headers. */
const linkLengthMax = 3000

type Page = { path: string; query: ReadonlyMap<string, string>; at: OffsetPage | WalkPage }

/** A page found by its number. */
type OffsetPage = PageCut & { total: number }

/** A page of a walk by id; `lastId` is null if it is empty. */
type WalkPage = { lastId: number | null; hasMore: boolean }

/** Returns undefined if there is no other page, or if not even the link to the next page fits `linkLengthMax`. */
export function linksOf({ path, query, at }: Page): string | undefined {
  const [parameter, links] = 'hasMore' in at ? ['after_id', linksOfWalk(at)] : ['offset', linksOfOffset(at)]
  const rest = [...query]
    .filter(([name]) => name !== parameter)
    .map(([name, value]) => `${name}=${encodeValue(value)}&`)
  const texts = Object.entries(links).map(([relation, value]) => {
    return { relation, text: `<${path}?${rest.join('')}${parameter}=${value}>; rel="${relation}"` }
  })
  const choices = [texts, texts.filter(({ relation }) => relation === 'next')]
  return choices
    .map((chosen) => chosen.map(({ text }) => text).join(', '))
    .find((header) => header !== '' && header.length <= linkLengthMax)
}

/** The value of the parameter for each relation. */
type Links = { readonly [relation: string]: number }

const linksOfWalk = ({ lastId, hasMore }: WalkPage): Links => ({
  ...(hasMore && lastId !== null && { next: lastId }),
  first: 0,
})

function linksOfOffset({ limit, offset, total }: OffsetPage): Links {
  const next = offset + limit
  const hasNext = next < total && next <= offsetMax
  // Past the end, the previous page is the last one.
  const before = Math.max(0, Math.min(offset, total) - limit)
  return { ...(hasNext && { next }), ...(offset > 0 && { prev: before, first: 0 }) }
}

const encodeValue = (value: string): string => encodeURIComponent(value).replaceAll('%2C', ',')
