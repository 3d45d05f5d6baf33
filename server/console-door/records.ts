import { readFields, readQuery } from '#derive/parameters.ts'
import { type DataRoute, dataRoutesOf, isWrite } from '#derive/routes.ts'
import type { Definition } from '#registry/definition.ts'
import { bodyBytesMax } from '#registry/limits.ts'
import { permission } from '#registry/permissions.ts'
import { registry } from '#registry/records/index.ts'
import { Refusal } from '#registry/refusals.ts'
import { fetch, list } from '#sql/records/read.ts'
import { needPermission } from '../service/session.ts'
import { workOn } from '../service/work.ts'
import { jsonType, pageEnvelope, readReply, recordTag, replyOf } from '../walk/answer.ts'
import type { Body, Call, Reply } from '../walk/call.ts'
import { perform } from '../walk/perform.ts'
import { readIntent, recordId } from '../walk/read-intent.ts'
import type { Asked, ConsoleReply, ConsoleRoute } from './asked.ts'
import { exportOf } from './export.ts'
import { historyOf } from './history.ts'
import { readConsoleListing, withEveryFilter } from './read-listing.ts'

/** The records of every kind, the ERP-only ones too: the routes of /v1 behind another door. */
export const recordRoutes: ConsoleRoute[] = registry.flatMap((definition) => {
  const view = permission(definition.name, 'VIEW')
  const at = `/console/records/${definition.name}`
  return [
    ...routesAsOf(definition).map(
      (route): ConsoleRoute => ({
        id: route.id,
        method: route.method,
        path: route.path,
        needs: route.scope,
        bodyMax: bodyBytesMax,
        answer: (asked) => answering(asked, route),
      }),
    ),
    { id: `${definition.name}.export`, method: 'GET', path: `${at}.csv`, needs: view, answer: exportOf(definition) },
    {
      id: `${definition.name}.history`,
      method: 'GET',
      path: `${at}/{id}/history`,
      needs: view,
      answer: historyOf(definition),
    },
  ]
})

/** As /v1 would serve the kind, at the console's path. No add-on closes the console. */
function routesAsOf(definition: Definition): DataRoute[] {
  const served = withEveryFilter({ ...definition, served: { addOn: 'api' } })
  return dataRoutesOf([served]).map((route) => ({ ...route, path: route.path.replace('/v1/', '/console/records/') }))
}

function answering(asked: Asked, route: DataRoute): Promise<ConsoleReply> {
  if (isWrite(route)) return writing(asked, route)
  return route.operation === 'list' ? listing(asked, route) : fetching(asked, route)
}

async function listing(asked: Asked, route: DataRoute): Promise<ConsoleReply> {
  const wanted = readConsoleListing(asked.query, route)
  const { companyId } = asked.session().actor
  const [row] = await asked.world.database.read<{ total: number; json: string }>(
    list(companyId, route.definition, wanted),
  )
  return {
    status: 200,
    headers: { 'Content-Type': jsonType, 'Cache-Control': 'no-store' },
    body: pageEnvelope(row?.json ?? '', row?.total ?? 0, wanted),
  }
}

async function fetching(asked: Asked, route: DataRoute): Promise<ConsoleReply> {
  const fields = readFields(readQuery(asked.query, route), route.definition)
  const { companyId } = asked.session().actor
  const statement = fetch(companyId, route.definition, recordId(asked), fields)
  const [row] = await asked.world.database.read<{ version: number; json: string }>(statement)
  if (!row) throw new Refusal('not_found')
  const reply = readReply(`{"data":${row.json}}`, recordTag(row.version, row.json), asked.headers.ifNoneMatch)
  return { ...reply, headers: { ...reply.headers, Vary: 'Cookie, Accept-Encoding' } }
}

/** The same reading, the same work and the same envelope as a write of /v1; only who acts is known otherwise. */
async function writing(asked: Asked, route: DataRoute): Promise<ConsoleReply> {
  const call: Call = {
    ...asked,
    peer: asked.client.peer,
    route,
    rawHeaders: asked.request.rawHeaders,
    body: await bodyOf(asked),
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

const bodyOf = ({ bytes, route: { method } }: Asked): Promise<Body> | Body =>
  method === 'DELETE' ? { bytes: Buffer.alloc(0) } : bytes()

function atOurPath(reply: Reply): Reply {
  const { Location, ...headers } = reply.headers
  if (Location === undefined) return reply
  return { ...reply, headers: { ...headers, Location: Location.replace('/v1/', '/console/records/') } }
}
