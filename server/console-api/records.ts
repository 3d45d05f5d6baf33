import { readFields, readQuery } from '#derive/parameters.ts'
import { fetch as fetchRecord, list as listRecords } from '#derive/queries/read.ts'
import { Refusal } from '#registry/refusals.ts'
import { needPermission } from '../service/session.ts'
import { workOn } from '../service/work.ts'
import { jsonType, readReply, recordTag, replyOf } from '../walk/answer.ts'
import type { Call, Reply } from '../walk/call.ts'
import { perform } from '../walk/perform.ts'
import { readIntent, recordId } from '../walk/read-intent.ts'
import type { Asked, ConsoleReply } from './asked.ts'
import { readConsoleListing } from './read-listing.ts'

/** The records of every kind, the ERP-only ones too: what /v1 does with them, for somebody with a session. */

export async function list({ world, session, query, records }: Asked<'records.list'>): Promise<ConsoleReply> {
  const wanted = readConsoleListing(query, records)
  const { companyId } = session().actor
  const [row] = await world.database.read<{ total: number; json: string }>(
    listRecords(companyId, records.definition, wanted),
  )
  const meta = { total: row?.total, limit: wanted.limit, offset: wanted.offset }
  return {
    status: 200,
    headers: { 'Content-Type': jsonType, 'Cache-Control': 'no-store' },
    body: `{"data":[${row?.json}],"meta":${JSON.stringify(meta)}}`,
  }
}

export async function fetch(asked: Asked<'records.fetch'>): Promise<ConsoleReply> {
  const { definition } = asked.records
  const fields = readFields(readQuery(asked.query, asked.records), definition)
  const { companyId } = asked.session().actor
  const statement = fetchRecord(companyId, definition, recordId(asked), fields)
  const [row] = await asked.world.database.read<{ version: number; json: string }>(statement)
  if (!row) throw new Refusal('not_found')
  const reply = readReply(`{"data":${row.json}}`, recordTag(row.version, row.json), asked.headers.ifNoneMatch)
  return { ...reply, headers: { ...reply.headers, Vary: 'Cookie, Accept-Encoding' } }
}

/** The same reading, the same work and the same envelope as a write of /v1; only who acts is known otherwise. */
export async function write(
  asked: Asked<'records.create' | 'records.update' | 'records.delete'>,
): Promise<ConsoleReply> {
  const call: Call = {
    ...asked,
    peer: asked.client.peer,
    route: asked.records,
    rawHeaders: asked.request.rawHeaders,
    body: asked.route.body ? await asked.bytes() : { bytes: Buffer.alloc(0) },
  }
  const intent = readIntent(call, asked.headers)
  return asked.change(async (transaction, session) => {
    const { actor } = session
    const mayDo = (code: string) => needPermission(session, code)
    const answer = await workOn(transaction, actor, perform(actor.companyId, call, intent, mayDo))
    if (intent.dryRun) transaction.undo()
    return atOurPath(replyOf(answer))
  })
}

function atOurPath(reply: Reply): Reply {
  const { Location, ...headers } = reply.headers
  if (Location === undefined) return reply
  return { ...reply, headers: { ...headers, Location: Location.replace('/v1/', '/console/records/') } }
}
