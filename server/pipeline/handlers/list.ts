import { readListing } from '#derive/query.ts'
import type { ResourceRoute } from '#derive/routes.ts'
import { listWithCaller } from '#sql/records/read.ts'
import { allows, hasWeak } from '../../http/protocol/entity-tags.ts'
import { notExpected } from '../../service/expected.ts'
import { listTag, pageEnvelope, readReply } from '../answer.ts'
import type { ReadHandler } from '../handler.ts'
import { linksOf } from '../page-links.ts'

/** The JSON is passed on as PostgreSQL wrote it. */
export const list: ReadHandler<ResourceRoute> =
  ({ definition }) =>
  ({ path }, query) => {
    const listing = readListing(query, definition)
    return {
      statement: (ask) => listWithCaller(ask, definition, listing),
      reply({ json, total }: { json: string; total: number }, { ifMatch, ifNoneMatch }) {
        const body = pageEnvelope(json, total, listing)
        const tag = listTag(body)
        if (!allows(ifMatch, tag)) throw notExpected(hasWeak(ifMatch))
        const reply = readReply(body, tag, ifNoneMatch)
        const links = reply.status === 200 ? linksOf({ path, query, listing, total }) : undefined
        return links === undefined ? reply : { ...reply, headers: { ...reply.headers, Link: links } }
      },
    }
  }
