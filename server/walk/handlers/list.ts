import { readListing } from '#derive/parameters.ts'
import { listWithCaller } from '#derive/queries/read.ts'
import type { ResourceRoute } from '#derive/routes.ts'
import { notExpected } from '../../service/expected.ts'
import { listTag, readReply } from '../answer.ts'
import type { ReadHandler } from '../handler.ts'
import { linksOf } from '../page-links.ts'
import { allows, hasWeak } from '../tags.ts'

/** The JSON is passed on as PostgreSQL wrote it. */
export const list: ReadHandler<ResourceRoute> =
  ({ definition }) =>
  ({ path }, query) => {
    const listing = readListing(query, definition)
    const { limit, offset } = listing
    return {
      statement: (ask) => listWithCaller(ask, definition, listing),
      reply({ json, total }: { json: string; total: number }, { ifMatch, ifNoneMatch }) {
        const body = `{"data":[${json}],"meta":{"total":${total},"limit":${limit},"offset":${offset}}}`
        const tag = listTag(body)
        if (!allows(ifMatch, tag)) throw notExpected(hasWeak(ifMatch))
        const reply = readReply(body, tag, ifNoneMatch)
        const links = reply.status === 200 ? linksOf({ path, query, listing, total }) : undefined
        return links === undefined ? reply : { ...reply, headers: { ...reply.headers, Link: links } }
      },
    }
  }
