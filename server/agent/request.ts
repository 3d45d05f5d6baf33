import { inLine } from '#derive/format-printable.ts'
import { ownRoute } from '#derive/routes.ts'
import { type AgentSettings, agentClientMax, agentPath } from '#registry/agents.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { batchValuesMax } from '#registry/limits.ts'
import { Refusal } from '#registry/refusals.ts'
import { type AgentCompanyRow, agentWithCaller } from '#sql/records/agents.ts'
import type { CallerRow } from '#sql/system/caller.ts'
import type { Share } from '../fair/shares.ts'
import type { App } from '../http/app.ts'
import type { HttpRequest } from '../http/request-handler.ts'
import { type AdmittedCall, enforceRateLimit, requireAuthorized } from '../pipeline/admitted-call.ts'
import { readToken } from '../pipeline/authorize.ts'
import type { Call } from '../pipeline/call.ts'
import { formatStorable } from '../pipeline/mask.ts'
import { type Body, emptyBody, readBody } from '../protocol/body.ts'
import { readHeaders } from '../protocol/headers.ts'
import type { Rate } from '../service/token-rate.ts'

/** A request of an agent before authentication. */
export type AgentRequest = Pick<HttpRequest, 'peer' | 'requestId' | 'startedAt'> & {
  app: App
  share: Share
  rawHeaders: readonly string[]
  /** The address of the service that was called, and of the page that explains its refusals. */
  base: string
  errorsPage: string
}

/** The agent of an admitted request: its caller, its company and the company's settings of agents. */
export type Agent = AgentRequest & {
  admitted: AdmittedCall
  settings: AgentSettings
  /** The time of the last erasure of a person of the company. */
  erasedAt: string | null
  /** The name that it gives for itself. */
  client: string | null
  /** Returns the remaining calls of its token. The request itself is counted as the first call of a tool. */
  takeRate(): Rate | undefined
}

type AdmittedAgent = Omit<Agent, 'client' | 'takeRate'>

/** A route that any token may call: refusals of the token itself are logged under it. */
const route = ownRoute('me')

/** A message of JSON-RPC, of which only some members are read here. */
export type Message = JsonObject

/** Parses one message. Throws if that loses anything, or for a list, which no supported revision has. */
export function readMessage({ rawHeaders }: AgentRequest, body: Body): Message {
  const message: Json = readBody(body, readHeaders(rawHeaders, false), ['application/json'], batchValuesMax)
  if (isObject(message)) return message
  throw new Refusal('malformed_json', { detail: 'Send one JSON-RPC message, as one JSON object.' })
}

/** Returns the caller. Throws as /v1 does, and if its company allows no agents. */
export async function admitAgent(request: AgentRequest): Promise<AdmittedAgent> {
  const { app, share, rawHeaders, peer } = request
  const ask = readToken({ rawHeaders, peer, route, query: '' })
  const [row] = await app.database.read<CallerRow & AgentCompanyRow>(agentWithCaller(ask), share)
  const admitted = requireAuthorized({ app, call: plainCall(request), ask }, row)
  const { agents: settings, erased_at: erasedAt } = row as AgentCompanyRow
  if (!settings) throw new Refusal('agents_off')
  return { ...request, admitted, settings, erasedAt }
}

/** Counts the request of an agent after its message is parsed. Throws if its token has made too many. */
export function countAgent(agent: AdmittedAgent, message: Message): Agent {
  enforceRateLimit(agent.admitted)
  let { rate } = agent.admitted.call
  const takeRate = (): Rate | undefined => {
    const taken = rate
    rate = undefined
    return taken
  }
  return { ...agent, client: clientOf(message, agent.rawHeaders), takeRate }
}

/** Returns the request itself for the log: it is no call of /v1. */
const plainCall = ({ rawHeaders, peer, share, requestId, errorsPage, startedAt }: AgentRequest): Call => ({
  ...{ route, path: agentPath, params: {}, query: '', body: emptyBody },
  ...{ rawHeaders, peer, share, requestId, errorsPage, startedAt },
})

const clientInfo = 'io.modelcontextprotocol/clientInfo'

/** Returns the client's name for itself, unverified, from its message or `User-Agent` in older revisions. */
function clientOf(message: JsonObject, rawHeaders: readonly string[]): string | null {
  const named = nameIn(message) ?? headerNamed('user-agent', rawHeaders)
  const text = inLine(formatStorable(named ?? '')).trim()
  return text === '' ? null : [...text].slice(0, agentClientMax).join('')
}

function nameIn({ params }: JsonObject): string | undefined {
  const info = memberOf(memberOf(params, '_meta'), clientInfo)
  const [name, version] = [memberOf(info, 'name'), memberOf(info, 'version')]
  if (typeof name !== 'string') return undefined
  return typeof version === 'string' ? `${name} ${version}` : name
}

const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

const headerNamed = (name: string, rawHeaders: readonly string[]): string | undefined =>
  rawHeaders.find((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
