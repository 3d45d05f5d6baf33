import { readFields } from '#derive/query.ts'
import type { ResourceRoute } from '#derive/routes.ts'
import { Refusal } from '#registry/refusals.ts'
import { fetchWithCaller } from '#sql/records/read.ts'
import { type Conditions, expectedOf } from '../../http/protocol/entity-tags.ts'
import { expectVersion } from '../../service/expected.ts'
import { readReply, recordTag } from '../answer.ts'
import type { Reply } from '../call.ts'
import type { ReadHandler } from '../handler.ts'
import { pathId } from '../read-intent.ts'

/** The JSON is passed on as PostgreSQL wrote it. */
export const fetch: ReadHandler<ResourceRoute> =
  ({ definition }) =>
  ({ params }, query) => {
    // No record has the id 0.
    const id = pathId(params) ?? 0
    const fields = readFields(query, definition)
    return { statement: (ask) => fetchWithCaller(ask, definition, id, fields), reply: fetchedReply }
  }

type Fetched = { json: string | null; version: number }

export function fetchedReply({ json, version }: Fetched, { ifMatch, ifNoneMatch }: Conditions): Reply {
  if (json === null) throw new Refusal('not_found')
  if (ifMatch !== undefined) expectVersion(version, expectedOf({ ifMatch }))
  return readReply(`{"data":${json}}`, recordTag(version, json), ifNoneMatch)
}
