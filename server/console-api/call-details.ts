import type { CallDetailsResult } from '#derive/console/responses.ts'
import { type DataRoute, dataRoutesOf, isWrite, type ResourceRoute } from '#derive/routes.ts'
import { memoize } from '#registry/memoize.ts'
import { fieldPermissions, permission } from '#registry/permissions.ts'
import { type ProblemBody, Refusal, type RefusalCode, refusals } from '#registry/refusals.ts'
import { type Registry, registry } from '#registry/resources/index.ts'
import { type CallDetails, findDetails } from '#sql/system/call-details.ts'
import { type CallListRow, findCall } from '#sql/system/call-list.ts'
import type { Call } from '../pipeline/call.ts'
import type { WriteHandler } from '../pipeline/handler.ts'
import { handlers } from '../pipeline/handlers/index.ts'
import { readIntent } from '../pipeline/read-intent.ts'
import { type CallResponse, errorsAddress, formatBody, refusalResponse } from '../pipeline/response.ts'
import { recordId } from '../protocol/path-id.ts'
import { needFieldRights } from '../records/rights.ts'
import { runCommand } from '../records/write-record.ts'
import { listAccounts } from '../service/account.ts'
import { needPermission, type Session } from '../service/session.ts'
import { presentToken } from '../service/token.ts'
import type { Transaction } from '../store/database.ts'
import type { AdmittedRequest, Handlers } from './operation-request.ts'

/** One call of the log with its request and response, and its repetition as a dry-run. */

export const callDetails = {
  async 'calls.fetch'(request) {
    const session = request.session()
    const { call, details, lacking } = await request.read(async (transaction, companyId) => {
      const found = await callWithDetails(transaction, companyId, recordId(request))
      return { ...found, lacking: await lackingOf(transaction, companyId, found.call) }
    })
    const needs = missingView(session, call)
    const shown = needs === undefined ? details : undefined
    const route = routeOf(call)
    return {
      data: {
        ...call,
        ...{ gate: gateOf(call), advice: adviceOf(call), lacking },
        method: route?.method ?? '',
        path: route?.path ?? call.route,
        details: shown ?? null,
        hidden: needs !== undefined && details ? { needs } : details ? null : 'not_kept',
        problem: problemOf(shown),
        repeatable: repeatableOf(session, route, shown),
      },
    }
  },

  /** Returns what the call would answer now, as a dry-run by the session's account. Nothing is stored or logged. */
  async 'calls.dry-run'(request) {
    const { call, details } = await request.read((transaction, companyId) =>
      callWithDetails(transaction, companyId, recordId(request)),
    )
    const route = routeOf(call)
    const needs = missingView(request.session(), call)
    if (needs !== undefined) needPermission(request.session(), needs)
    if (!details || !route || !isOnResource(route) || details.request_state !== 'whole')
      throw new Refusal('not_found', { detail: 'Only a write whose request is kept whole can be sent again.' })
    needPermission(request.session(), route.scope)
    return repeatCall(request, route, details)
  },
} satisfies Partial<Handlers>

function repeatCall(
  { app, change, requestId, ...request }: AdmittedRequest,
  route: ResourceRoute,
  details: CallDetails,
) {
  const bytes = Buffer.from(details.request_body ?? '')
  const call: Call = {
    ...request,
    ...{
      errorsPage: errorsAddress(app.config.publicUrl),
      requestId,
      route,
      path: details.path,
      query: details.query,
      params: { id: idIn(details.path) },
    },
    rawHeaders: Object.entries(details.request_headers).flat(),
    body: { bytes },
  }
  const write = (handlers[route.operation as 'create' | 'update' | 'delete'] as WriteHandler<ResourceRoute>)(route)
  const respondAgain = async (transaction: Transaction, session: Session): Promise<CallResponse> => {
    needPermission(session, route.scope)
    try {
      const intent = { ...readIntent(call), dryRun: true }
      needFieldRights(session.actor, route.needs?.(intent.body).rights ?? [])
      const command = write(session.actor.companyId, call, intent)
      return command.respond(await runCommand(transaction, session.actor, command))
    } catch (error) {
      if (error instanceof Refusal) return refusalResponse(error, requestId, app.config.publicUrl)
      throw error
    }
  }
  return change(
    async (transaction, session) => {
      const response = await respondAgain(transaction, session)
      return { data: { status: response.status, body: formatBody(response) } }
    },
    { isPreview: true },
  )
}

/** Returns the part of a path at the place of a record's id. */
const idIn = (path: string): string | undefined => path.split('/')[3]

async function callWithDetails({ run }: Transaction, companyId: number, id: number) {
  const [call] = await run<CallListRow>(findCall(companyId, id))
  if (!call) throw new Refusal('not_found')
  const [details] = await run<CallDetails>(findDetails(companyId, call.request_id))
  return { call, details }
}

const served = memoize((all: Registry) => new Map(dataRoutesOf(all).map((route) => [route.id, route])))
const routeOf = (call: CallListRow): DataRoute | undefined => served(registry).get(call.route)
/** Returns whether a route is a write whose record has its id in the path, or none yet. */
const isOnResource = (route: DataRoute): route is ResourceRoute =>
  isWrite(route) && route.definition !== undefined && route.pathParameters.every(({ is }) => is === 'Id')

/** Returns a missing permission to see the records of a call; of any resource, all permissions are needed. */
function missingView({ row }: Session, call: CallListRow): string | undefined {
  const definition = routeOf(call)?.definition
  const kinds = definition ? [definition] : registry.filter((kind) => kind.served)
  return kinds.map(({ name }) => permission(name, 'VIEW')).find((code) => !row.permissions.includes(code))
}

/** Returns which of the current token and its account has a missing permission. */
async function lackingOf(transaction: Transaction, companyId: number, call: CallListRow) {
  const scope = call.code === 'insufficient_scope' ? call.about?.[0] : undefined
  if (scope === undefined) return null
  const token = await presentToken(transaction, companyId)
  const account = token && (await listAccounts(transaction, companyId)).find(({ id }) => id === token.account_id)
  return {
    scope,
    // Only accounts have permissions of fields.
    token: fieldPermissions.includes(scope) || (token?.scopes.includes(scope) ?? false),
    account: account?.permissions.includes(scope) ?? false,
  }
}

/** Returns the problem of a refusal; null if its body was cut and cannot be parsed. */
function problemOf(details: CallDetails | undefined): CallDetailsResult['problem'] {
  if (!details?.answer_body || details.answer_state === 'cut') return null
  const { detail, errors = [], code } = JSON.parse(details.answer_body) as Partial<ProblemBody>
  return code === undefined || detail === undefined ? null : { detail, errors }
}

function repeatableOf({ row }: Session, route: DataRoute | undefined, details: CallDetails | undefined) {
  if (!route || !isOnResource(route)) return 'read'
  if (details?.request_state !== 'whole') return 'not_whole'
  return row.permissions.includes(route.scope) ? 'yes' : 'not_held'
}

/** The check that refused a call before its request was parsed; null after that. */
const gates: { readonly [code in RefusalCode]?: string } = {
  unauthorized: 'token',
  ip_not_allowed: 'address',
  insufficient_scope: 'scope',
  feature_off: 'add-on',
}

const gateOf = ({ code }: CallListRow): string | null => gates[code as RefusalCode] ?? null

function adviceOf({ code, token_ended_at }: CallListRow): string | null {
  if (code === null) return null
  if (code === 'unauthorized') {
    return token_ended_at === null
      ? 'The account behind the token is disabled. Enable it, or issue a token from another account.'
      : 'The token was rotated, revoked or at its end before this call. Give the integration that made it the active token.'
  }
  return refusals[code as RefusalCode]?.advice ?? null
}
