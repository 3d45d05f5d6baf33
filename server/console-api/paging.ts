import { readInteger } from '#derive/query.ts'
import { offsetMax, pageSizeDefault, pageSizeMax } from '#registry/limits.ts'
import type { Statement } from '#sql/statement.ts'
import type { AdmittedRequest } from './operation-request.ts'

type Page = { limit: number; offset: number }

/** Which page is asked for, by the same rules as on lists of /v1. */
export const readPage = ({ limit, offset }: { readonly limit?: string; readonly offset?: string }): Page => ({
  limit: Math.min(readInteger('limit', limit, 1, Number.POSITIVE_INFINITY) ?? pageSizeDefault, pageSizeMax),
  offset: readInteger('offset', offset, 0, offsetMax) ?? 0,
})

/** The rows of a page, and how many there are of all. */
export async function rowsOf<Row>({ read }: AdmittedRequest, wanted: Page, rows: Statement, count: Statement) {
  const [found, [counted]] = await read(({ run }) => Promise.all([run<Row>(rows), run<{ total: number }>(count)]))
  return { data: found, meta: { total: counted?.total ?? 0, ...wanted } }
}
