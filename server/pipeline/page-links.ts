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

type Link = { relation: string; parameter: string; value: number }

/** Returns undefined if there is no other page, or if not even the link to the next page fits `linkLengthMax`. */
export function linksOf({ path, query, at }: Page): string | undefined {
  const links = 'hasMore' in at ? linksOfWalk(at) : linksOfOffset(at)
  const texts = links.map(({ relation, parameter, value }) => {
    const rest = [...query]
      .filter(([name]) => name !== parameter)
      .map(([name, value]) => `${name}=${encodeValue(value)}&`)
    return { relation, text: `<${path}?${rest.join('')}${parameter}=${value}>; rel="${relation}"` }
  })
  const choices = [texts, texts.filter(({ relation }) => relation === 'next')]
  return choices
    .map((chosen) => chosen.map(({ text }) => text).join(', '))
    .find((header) => header !== '' && header.length <= linkLengthMax)
}

function linksOfWalk({ lastId, hasMore }: WalkPage): Link[] {
  const parameter = 'after_id'
  return [
    ...(hasMore && lastId !== null ? [{ relation: 'next', parameter, value: lastId }] : []),
    { relation: 'first', parameter, value: 0 },
  ]
}

function linksOfOffset({ limit, offset, total }: OffsetPage): Link[] {
  const parameter = 'offset'
  const next = offset + limit
  const hasNext = next < total && next <= offsetMax
  // Past the end, the previous page is the last one.
  const before = Math.max(0, Math.min(offset, total) - limit)
  return [
    ...(hasNext ? [{ relation: 'next', parameter, value: next }] : []),
    ...(offset > 0
      ? [
          { relation: 'prev', parameter, value: before },
          { relation: 'first', parameter, value: 0 },
        ]
      : []),
  ]
}

const encodeValue = (value: string): string => encodeURIComponent(value).replaceAll('%2C', ',')
