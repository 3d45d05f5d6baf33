import { readInteger, readPairs } from '#derive/parameters.ts'
import { offsetMax, pageSizeDefault, pageSizeMax } from '#registry/limits.ts'
import type { Incoming } from './asked.ts'

/** The parameters of a request, each known to its route and given once. */
export const readParameters = ({ query, route }: Incoming, known: readonly string[]): Map<string, string> =>
  readPairs(query, known, `${route.method} ${route.path}`)

/** Which page is asked for, by the same rules as on lists of /v1. */
export const readPage = (pairs: ReadonlyMap<string, string>) => ({
  limit: Math.min(
    readInteger('limit', pairs.get('limit'), 1, Number.POSITIVE_INFINITY) ?? pageSizeDefault,
    pageSizeMax,
  ),
  offset: readInteger('offset', pairs.get('offset'), 0, offsetMax) ?? 0,
})
