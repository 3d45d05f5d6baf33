import { readInteger } from '#derive/parameters.ts'
import { offsetMax, pageSizeDefault, pageSizeMax } from '#registry/limits.ts'

/** Which page is asked for, by the same rules as on lists of /v1. */
export const readPage = ({ limit, offset }: { readonly limit?: string; readonly offset?: string }) => ({
  limit: Math.min(readInteger('limit', limit, 1, Number.POSITIVE_INFINITY) ?? pageSizeDefault, pageSizeMax),
  offset: readInteger('offset', offset, 0, offsetMax) ?? 0,
})
