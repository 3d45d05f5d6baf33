import type { StandardName } from '#derive/operations/index.ts'
import { readFields, readQuery } from '#derive/parameters.ts'
import { fetch, list } from '#derive/queries/read.ts'
import { type ResourceRoute, routesOn } from '#derive/routes.ts'
import type { Definition } from '#registry/definition.ts'
import { bodyBytesMax } from '#registry/limits.ts'
import { permission } from '#registry/permissions.ts'
import { registry } from '#registry/records/index.ts'
import { Refusal } from '#registry/refusals.ts'
import { needPermission } from '../service/session.ts'
import { workOn } from '../service/work.ts'
import { readReply, recordTag, replyOf } from '../walk/answer.ts'
import type { Call } from '../walk/call.ts'
import type { WriteHandler } from '../walk/handler.ts'
import { handlers } from '../walk/handlers/index.ts'
import { readIntent, recordId } from '../walk/read-intent.ts'
import type { ConsoleRoute } from './asked.ts'
import { exportOf } from './export.ts'
import { historyOf } from './history.ts'
import { readConsoleListing, withEveryFilter } from './read-listing.ts'

type Answering = (route: ResourceRoute) => ConsoleRoute['answer']

/** The operations of /v1 that the web interface has too. */
const answers = {
  list: listing,
  fetch: fetching,
  create: writing(handlers.create),
  update: writing(handlers.update),
  delete: writing(handlers.delete),
  history: ({ definition }: ResourceRoute) => historyOf(definition),
} satisfies { readonly [name in StandardName]?: Answering }

/** The records of every kind, the ERP-only ones too: the routes of /v1 behind another door. */
export const recordRoutes: ConsoleRoute[] = registry.flatMap((definition) => {
  const view = permission(definition.name, 'VIEW')
  const at = `/console/records/${definition.name}`
  const served = routesAsOf(definition)
  return [
    ...Object.entries(answers).map(([name, answer]): ConsoleRoute => {
      const route = served[name as keyof typeof answers]
      const { id, method, path, scope } = route
      return { id, method, path, needs: scope, bodyMax: bodyBytesMax, answer: answer(route) }
    }),
    { id: `${definition.name}.export`, method: 'GET', path: `${at}.csv`, needs: view, answer: exportOf(definition) },
  ]
})

/** As /v1 would serve the kind, at the console's path. No add-on closes the console. */
function routesAsOf(definition: Definition) {
  return routesOn(withEveryFilter({ ...definition, served: { addOn: 'api' } }), '/console/records')
}

function listing(route: ResourceRoute): ConsoleRoute['answer'] {
  return async (asked) => {
    const wanted = readConsoleListing(asked.query, route)
    const { companyId } = asked.session().actor
    const [row] = await asked.world.database.read<{ total: number; json: string }>(
      list(companyId, route.definition, wanted),
    )
    const meta = { total: row?.total, limit: wanted.limit, offset: wanted.offset }
    return {
      status: 200,
      headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' },
      body: `{"data":[${row?.json}],"meta":${JSON.stringify(meta)}}`,
    }
  }
}

function fetching(route: ResourceRoute): ConsoleRoute['answer'] {
  return async (asked) => {
    const fields = readFields(readQuery(asked.query, route), route.definition)
    const { companyId } = asked.session().actor
    const statement = fetch(companyId, route.definition, recordId(asked), fields)
    const [row] = await asked.world.database.read<{ version: number; json: string }>(statement)
    if (!row) throw new Refusal('not_found')
    const reply = readReply(`{"data":${row.json}}`, recordTag(row.version, row.json), asked.headers.ifNoneMatch)
    return { ...reply, headers: { ...reply.headers, Vary: 'Cookie, Accept-Encoding' } }
  }
}

/** The same reading, the same work and the same envelope as a write of /v1; only who acts is known otherwise. */
function writing(handler: WriteHandler<ResourceRoute>): Answering {
  return (route) => {
    const write = handler(route)
    return async (asked) => {
      const call: Call = {
        ...asked,
        peer: asked.client.peer,
        route,
        params: { id: asked.id },
        rawHeaders: asked.request.rawHeaders,
        body: route.body ? await asked.bytes() : { bytes: Buffer.alloc(0) },
      }
      const intent = readIntent(call, asked.headers)
      return asked.change(async (transaction, session) => {
        const { actor } = session
        const mayDo = (code: string) => needPermission(session, code)
        const answer = await workOn(transaction, actor, write(actor.companyId, call, intent, mayDo))
        if (intent.dryRun) transaction.undo()
        return replyOf(answer)
      })
    }
  }
}
