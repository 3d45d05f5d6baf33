import { consoleRoot } from '#derive/console/operations.ts'
import { readFields, readQuery } from '#derive/query.ts'
import { type DataRoute, ownRoute } from '#derive/routes.ts'
import { rightsOfQuery, visibleRecords } from '#derive/visible.ts'
import { orRefusal, orThrow, Refusal } from '#registry/refusals.ts'
import { fetch as fetchRecord, list as listRecords } from '#sql/records/read.ts'
import type { Call } from '../pipeline/call.ts'
import type { Write } from '../pipeline/handler.ts'
import { handlers } from '../pipeline/handlers/index.ts'
import { readIntent } from '../pipeline/read-intent.ts'
import { errorsAddress, JsonText, pageOf, replyOf } from '../pipeline/response.ts'
import { conclude } from '../pipeline/write-call.ts'
import { emptyBody } from '../protocol/body.ts'
import { readAcceptedDoubts } from '../protocol/headers.ts'
import { recordId } from '../protocol/path-id.ts'
import type { Actor } from '../records/actor.ts'
import { needFieldRights } from '../records/rights.ts'
import { recordTag } from '../records/tag.ts'
import { exportAll } from './export.ts'
import type { AdmittedRequest, ConsoleResult, Handlers } from './operation-request.ts'
import { readConsoleListing } from './read-parameters.ts'

/** The operations of /v1 on records of every resource, ERP-only ones included, for a session. */

const undoRoute = ownRoute('writes.undo', consoleRoot)

export const records = {
  'records.list':
    ({ list: route }) =>
    async ({ app, session, query }) => {
      const { actor } = session()
      const wanted = readConsoleListing(query, route, actor)
      const statement = listRecords(actor, route.definition, wanted)
      const [row] = await app.database.read<{ total: number; json: string }>(statement)
      const shown = visibleRecords(route.definition, actor.lacksRights, row?.json ?? '')
      return replyOf({ status: 200, code: null, headers: {}, ...pageOf(shown, row?.total ?? 0, wanted) })
    },

  'records.fetch':
    ({ fetch: route }) =>
    async (request) => {
      const { actor, row: caller } = request.session()
      const { companyId, lacksRights } = actor
      needFieldRights({ lacksRights }, rightsOfQuery(route.definition, request.query))
      const fields = readFields(readQuery(request.query, route), route.definition)
      const statement = fetchRecord(companyId, route.definition, recordId(request), fields)
      const [row] = await request.app.database.read<{ version: number; json: string }>(statement)
      if (!row) throw new Refusal('not_found')
      const json = visibleRecords(route.definition, lacksRights, row.json)
      const headers = { ETag: recordTag(caller.tag_key, row.version, json) }
      return replyOf({ status: 200, code: null, headers, data: new JsonText(json) })
    },

  'records.create': ({ create: route }) => createWriteHandler(route, handlers.create(route), readAcceptedDoubts),
  'records.update': ({ update: route }) => createWriteHandler(route, handlers.update(route), readAcceptedDoubts),
  'records.delete': ({ delete: route }) => createWriteHandler(route, handlers.delete(route)),
  'records.export': exportAll,

  /** Undoes a write, of any records. It has no doubts: it leaves what was there before. */
  'writes.undo': createWriteHandler(undoRoute, handlers['writes.undo'](undoRoute)),
} satisfies Partial<Handlers>

/** Creates a handler with the parsing, the work and the envelope of a write of /v1. Only the author is a session. */
function createWriteHandler(
  route: DataRoute,
  write: Write,
  acceptedIn: (rawHeaders: readonly string[]) => Actor['accepts'] = () => undefined,
) {
  return async (request: AdmittedRequest): Promise<ConsoleResult> => {
    const call: Call = {
      ...request,
      peer: request.client.peer,
      route,
      // There is at most one parameter, which the paths of the console call `id`.
      params: Object.fromEntries(route.pathParameters.map(({ name }) => [name, request.id])),
      errorsPage: errorsAddress(request.app.config.publicUrl),
      rawHeaders: request.request.rawHeaders,
      body: route.body ? await request.bytes() : emptyBody,
    }
    const intent = { ...readIntent(call, request.headers), prefersRecord: false }
    const accepts = acceptedIn(call.rawHeaders)
    const { companyId } = request.session().actor
    const command = orRefusal(() => write(companyId, call, intent))
    const { locks, prefetch } = command instanceof Refusal ? {} : command
    return request.change(
      {
        locks,
        prefetch,
        async execute(transaction, session, prefetched) {
          const actor = { ...session.actor, accepts }
          needFieldRights(actor, route.needs?.(intent.body).rights ?? [])
          const { execute, respond } = orThrow(command)
          const response = respond(await execute(transaction, actor, prefetched))
          const { unread } = response
          return { ...replyOf(await conclude(request.app, transaction, actor, { call, intent }, response)), unread }
        },
      },
      { isPreview: intent.dryRun },
    )
  }
}
