import { readFields, readQuery } from '#derive/parameters.ts'
import type { ResourceRoute, StandardRoutes } from '#derive/routes.ts'
import { Refusal } from '#registry/refusals.ts'
import { fetch as fetchRecord, list as listRecords } from '#sql/records/read.ts'
import { errorsAddress, jsonType, pageEnvelope, readReply, recordTag, replyOf } from '../pipeline/answer.ts'
import type { Call } from '../pipeline/call.ts'
import type { WriteHandler } from '../pipeline/handler.ts'
import { handlers } from '../pipeline/handlers/index.ts'
import { readIntent, recordId } from '../pipeline/read-intent.ts'
import { runCommand } from '../service/command.ts'
import { needPermission } from '../service/session.ts'
import type { Asked, ConsoleReply, RecordsHandler } from './asked.ts'
import { readConsoleListing } from './read-listing.ts'

/** The records of every resource, the ERP-only ones too: what /v1 does with them, for somebody with a session. */

export const list: RecordsHandler<'records.list'> =
  ({ list: route }) =>
  async ({ app, session, query }) => {
    const wanted = readConsoleListing(query, route)
    const { companyId } = session().actor
    const [row] = await app.database.read<{ total: number; json: string }>(
      listRecords(companyId, route.definition, wanted),
    )
    return {
      status: 200,
      headers: { 'Content-Type': jsonType, 'Cache-Control': 'no-store' },
      body: pageEnvelope(row?.json ?? '', row?.total ?? 0, wanted),
    }
  }

export const fetch: RecordsHandler<'records.fetch'> =
  ({ fetch: route }) =>
  async (asked) => {
    const fields = readFields(readQuery(asked.query, route), route.definition)
    const { companyId } = asked.session().actor
    const statement = fetchRecord(companyId, route.definition, recordId(asked), fields)
    const [row] = await asked.app.database.read<{ version: number; json: string }>(statement)
    if (!row) throw new Refusal('not_found')
    const reply = readReply(`{"data":${row.json}}`, recordTag(row.version, row.json), asked.headers.ifNoneMatch)
    return { ...reply, headers: { ...reply.headers, Vary: 'Cookie, Accept-Encoding' } }
  }

export const create = ({ create: route }: StandardRoutes) => writing(route, handlers.create)
export const update = ({ update: route }: StandardRoutes) => writing(route, handlers.update)
export const remove = ({ delete: route }: StandardRoutes) => writing(route, handlers.delete)

type Writes = 'records.create' | 'records.update' | 'records.delete'

/** The same reading, the same work and the same envelope as a write of /v1; only who acts is known otherwise. */
function writing(route: ResourceRoute, handler: WriteHandler<ResourceRoute>) {
  const write = handler(route)
  return async (asked: Asked<Writes>): Promise<ConsoleReply> => {
    const call: Call = {
      ...asked,
      peer: asked.client.peer,
      route,
      params: { id: asked.id },
      errorsPage: errorsAddress(asked.app.config.publicUrl),
      rawHeaders: asked.request.rawHeaders,
      body: route.body ? await asked.bytes() : { bytes: Buffer.alloc(0) },
    }
    const intent = readIntent(call, asked.headers)
    return asked.change(async (transaction, session) => {
      const { actor } = session
      const mayDo = (code: string) => needPermission(session, code)
      const answer = await runCommand(transaction, actor, write(actor.companyId, call, intent, mayDo))
      if (intent.dryRun) transaction.undo()
      return replyOf(answer)
    })
  }
}
