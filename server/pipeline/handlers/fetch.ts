import { type Conditions, expectedOf } from '#derive/expected-version.ts'
import { readFields } from '#derive/query.ts'
import type { ResourceRoute } from '#derive/routes.ts'
import { visibleRecords } from '#derive/visible.ts'
import type { Definition } from '#registry/definition.ts'
import { Refusal } from '#registry/refusals.ts'
import { fetchWithCaller } from '#sql/records/read.ts'
import type { CallerRow } from '#sql/system/caller.ts'
import { pathId } from '../../protocol/path-id.ts'
import { expectVersion } from '../../records/expected.ts'
import { recordTag } from '../../records/tag.ts'
import type { ReadHandler } from '../handler.ts'
import { type CallResponse, JsonText, readReply } from '../response.ts'

/** Passes on the JSON as PostgreSQL wrote it, without withheld fields. */
export const fetch: ReadHandler<ResourceRoute> =
  ({ definition }) =>
  ({ params }, query, { ask }) => {
    // No record has the id 0.
    const id = pathId(params) ?? 0
    const fields = readFields(query, definition)
    return { statement: fetchWithCaller(ask, definition, id, fields), reply: replyOfFetch(definition) }
  }

type FetchRow = Pick<CallerRow, 'lacks_rights' | 'tag_key'> & { json: string | null; version: number }

/** The ETag is that of the record as shown: without withheld fields it is another one. */
export const replyOfFetch =
  (definition: Definition) =>
  ({ json, version, lacks_rights, tag_key }: FetchRow, { ifMatch, ifNoneMatch }: Conditions): CallResponse => {
    if (json === null) throw new Refusal('not_found')
    if (ifMatch !== undefined) expectVersion(version, expectedOf({ ifMatch }))
    const shown = visibleRecords(definition, lacks_rights, json)
    return readReply({ data: new JsonText(shown) }, recordTag(tag_key, version, shown), ifNoneMatch)
  }
