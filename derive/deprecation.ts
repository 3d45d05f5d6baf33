import type { Deprecation } from '#registry/definition.ts'
import { isCalendarDay } from '#registry/fields/day.ts'
import { memoize } from '#registry/memoize.ts'

/** The announcement of a deprecated operation, in every response and in the documents. docs/compatibility.md */

type Headers = { readonly [name: string]: string }

/** Returns the headers with those of RFC 9745 (Deprecation) and RFC 8594 (Sunset). */
export function withDeprecation(headers: Headers, deprecation: Deprecation): Headers {
  const { Link, ...told } = deprecationHeaders(deprecation)
  return { ...headers, ...told, Link: headers.Link === undefined ? Link : `${headers.Link}, ${Link}` }
}

export const deprecationHeaders = memoize(({ since, sunset }: Deprecation) => {
  const from = startOf(since)
  const until = sunset === undefined ? undefined : startOf(sunset)
  // RFC 9745 4
  if (until !== undefined && until < from) throw new Error(`a sunset on ${sunset} comes before ${since}`)
  return {
    Deprecation: `@${from.getTime() / 1000}`,
    ...(until === undefined ? {} : { Sunset: until.toUTCString() }),
    Link: '</v1/docs>; rel="deprecation"; type="text/html"',
  }
})

/** Returns the paragraph for the documents. */
export const deprecationWords = ({ since, sunset, instead }: Deprecation): string =>
  `**Deprecated** since ${since}${sunset === undefined ? '' : `, answered until ${sunset} at least`}. ${instead}`

function startOf(day: string): Date {
  if (!isCalendarDay(day)) throw new Error(`${day} is no day`)
  return new Date(`${day}T00:00:00Z`)
}
