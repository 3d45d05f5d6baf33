import { readFields, readListing, readQuery } from '#derive/parameters.ts'
import type { BriefStatement } from '#derive/queries/brief.ts'
import type { CallerAsk } from '#derive/queries/caller.ts'
import type { Listing } from '#derive/queries/listing.ts'
import { fetchWithCaller, listWithCaller } from '#derive/queries/read.ts'
import type { Statement } from '#derive/queries/statement.ts'
import type { DataRoute } from '#derive/routes.ts'
import { Refusal } from '#registry/refusals.ts'
import { listTag, readReply, recordTag } from './answer.ts'
import type { Call, Reply } from './call.ts'
import type { Tags } from './read-headers.ts'
import { pathId } from './read-intent.ts'

/** What a read asks for. */
export type Wanted = { listing: Listing } | { id: number | null; fields: string[] | undefined }

/** What comes back beside the caller: a record with its version, or the records of a page with their total. */
export type ReadRow = { json: string | null; version?: number; total?: number }

export function readWanted(call: Call): Wanted {
  const { definition, operation } = call.route
  const query = readQuery(call.query, call.route)
  if (operation === 'list') return { listing: readListing(query, definition) }
  return { id: pathId(call), fields: readFields(query, definition) }
}

export function readWithCaller(ask: CallerAsk, { definition }: DataRoute, wanted: Wanted): Statement | BriefStatement {
  if ('listing' in wanted) return listWithCaller(ask, definition, wanted.listing)
  // No record has the id 0.
  return fetchWithCaller(ask, definition, wanted.id ?? 0, wanted.fields)
}

/** The JSON is passed on as PostgreSQL wrote it. */
export function replyOfRead(row: ReadRow, wanted: Wanted, ifNoneMatch: Tags | undefined): Reply {
  if ('listing' in wanted) {
    const { limit, offset } = wanted.listing
    const body = `{"data":[${row.json}],"meta":{"total":${row.total},"limit":${limit},"offset":${offset}}}`
    return readReply(body, listTag(body), ifNoneMatch)
  }
  if (row.json === null) throw new Refusal('not_found')
  return readReply(`{"data":${row.json}}`, recordTag(row.version as number, row.json), ifNoneMatch)
}
