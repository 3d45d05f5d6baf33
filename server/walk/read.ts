import { readFields, readListing, readQuery } from '#derive/parameters.ts'
import type { DataRoute } from '#derive/routes.ts'
import type { Listing } from '#registry/listing.ts'
import { Refusal } from '#registry/refusals.ts'
import type { BriefStatement } from '#sql/brief.ts'
import { fetchWithCaller, listWithCaller } from '#sql/records/read.ts'
import type { Statement } from '#sql/statement.ts'
import type { CallerAsk } from '#sql/system/caller.ts'
import { expectVersion, notExpected } from '../service/expected.ts'
import { listTag, pageEnvelope, readReply, recordTag } from './answer.ts'
import type { Call, Reply } from './call.ts'
import { linksOf } from './page-links.ts'

import { pathId } from './read-intent.ts'
import { allows, type Conditions, expectedOf, hasWeak } from './tags.ts'

/** What a read asks for. */
export type Wanted =
  | { listing: Listing; path: string; query: ReadonlyMap<string, string> }
  | { id: number | null; fields: string[] | undefined }

/** What comes back beside the caller: a record with its version, or the records of a page with their total. */
export type ReadRow = { json: string | null; version?: number; total?: number }

export function readWanted(call: Call): Wanted {
  const { definition, operation } = call.route
  const query = readQuery(call.query, call.route)
  if (operation === 'list') return { listing: readListing(query, definition), path: call.path, query }
  return { id: pathId(call), fields: readFields(query, definition) }
}

export function readWithCaller(ask: CallerAsk, { definition }: DataRoute, wanted: Wanted): Statement | BriefStatement {
  if ('listing' in wanted) return listWithCaller(ask, definition, wanted.listing)
  // No record has the id 0.
  return fetchWithCaller(ask, definition, wanted.id ?? 0, wanted.fields)
}

/** The JSON is passed on as PostgreSQL wrote it. */
export function replyOfRead(row: ReadRow, wanted: Wanted, conditions: Conditions): Reply {
  if ('listing' in wanted) return replyOfList(row, wanted, conditions)
  if (row.json === null) throw new Refusal('not_found')
  const version = row.version as number
  if (conditions.ifMatch !== undefined) expectVersion(version, expectedOf({ ifMatch: conditions.ifMatch }))
  return readReply(`{"data":${row.json}}`, recordTag(version, row.json), conditions.ifNoneMatch)
}

type WantedList = Extract<Wanted, { listing: Listing }>

function replyOfList(row: ReadRow, wanted: WantedList, { ifMatch, ifNoneMatch }: Conditions): Reply {
  const total = row.total as number
  const body = pageEnvelope(row.json ?? '', total, wanted.listing)
  const tag = listTag(body)
  if (!allows(ifMatch, tag)) throw notExpected(hasWeak(ifMatch))
  const reply = readReply(body, tag, ifNoneMatch)
  const links = reply.status === 200 ? linksOf({ ...wanted, total }) : undefined
  return links === undefined ? reply : { ...reply, headers: { ...reply.headers, Link: links } }
}
