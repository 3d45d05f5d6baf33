import { readListing } from '#derive/query.ts'
import type { ResourceRoute } from '#derive/routes.ts'
import { listWithCaller } from '#sql/records/read.ts'
import { pageEnvelope, pageReply } from '../answer.ts'
import type { ReadHandler } from '../handler.ts'
import { linksOf } from '../page-links.ts'

/** The JSON is passed on as PostgreSQL wrote it. */
export const list: ReadHandler<ResourceRoute> =
  ({ definition }) =>
  ({ path }, query) => {
    const listing = readListing(query, definition)
    return {
      statement: (ask) => listWithCaller(ask, definition, listing),
      reply({ json, total, last_id, has_more }: PageRow, conditions) {
        const isWalk = listing.afterId !== undefined
        const at = isWalk ? { lastId: last_id ?? null, hasMore: has_more ?? false } : { ...listing, total }
        return pageReply(pageEnvelope(json, total, listing), conditions, linksOf({ path, query, at }))
      },
    }
  }

/** `last_id` and `has_more` are of a walk by id alone. */
type PageRow = { json: string; total: number; last_id?: number | null; has_more?: boolean }
