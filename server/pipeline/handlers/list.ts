import { readListing } from '#derive/query.ts'
import type { ResourceRoute } from '#derive/routes.ts'
import { visibleRecords } from '#derive/visible.ts'
import { listWithCaller } from '#sql/records/read.ts'
import type { CallerRow } from '#sql/system/caller.ts'
import type { ReadHandler } from '../handler.ts'
import { linksOf } from '../page-links.ts'
import { pageOf, pageReply } from '../response.ts'

/** Passes on the JSON as PostgreSQL wrote it, without withheld fields. */
export const list: ReadHandler<ResourceRoute> =
  ({ definition }) =>
  ({ path }, query, { ask }) => {
    const listing = readListing(query, definition)
    return {
      statement: listWithCaller(ask, definition, listing),
      reply({ json, total, last_id, has_more, lacks_rights, tag_key }: PageRow, conditions) {
        const isWalk = listing.afterId !== undefined
        const at = isWalk ? { lastId: last_id ?? null, hasMore: has_more ?? false } : { ...listing, total }
        const shown = visibleRecords(definition, lacks_rights, json)
        return pageReply({ tag_key }, pageOf(shown, total, listing), conditions, linksOf({ path, query, at }))
      },
    }
  }

/** Only a walk by id has `last_id` and `has_more`. */
type PageRow = Pick<CallerRow, 'lacks_rights' | 'tag_key'> & {
  json: string
  total: number
  last_id?: number | null
  has_more?: boolean
}
