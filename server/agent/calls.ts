import { randomUUID } from 'node:crypto'
import type { DataRoute } from '#derive/routes.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import type { ProblemBody } from '#registry/refusals.ts'
import type { Call, PathParams } from '../pipeline/call.ts'
import type { ReadStep, Write } from '../pipeline/handler.ts'
import { answerRead, answerWrite } from '../pipeline/pipeline.ts'
import { bodyOf, type CallResponse } from '../pipeline/response.ts'
import { emptyBody } from '../protocol/body.ts'
import { authorizationsIn } from '../protocol/headers.ts'
import type { Agent } from './request.ts'

/** Calls of /v1 by tools. They are checked, counted, logged and answered like any other. */

/** Thrown when a call is refused, with the problem of /v1. */
export class CallRefusedError extends Error {
  readonly problem: ProblemBody
  constructor(problem: ProblemBody) {
    super(problem.detail)
    this.name = 'CallRefused'
    this.problem = problem
  }
}

export type CallResult = { body: JsonObject; headers: CallResponse['headers'] }

type CallOptions = {
  params?: PathParams
  query?: { readonly [name: string]: string }
  headers?: { readonly [name: string]: string }
  body?: Json
  /** The preview that the call applies. */
  preview?: string
}

/** Makes a read of /v1. Throws if it is refused. */
export async function callRead(agent: Agent, route: DataRoute, read: ReadStep, options: CallOptions = {}) {
  return readResult(await answerRead(agent.app, callOf(agent, route, options), read, neverWait))
}

/** Makes a write of /v1. Throws if it is refused. */
export async function callWrite(agent: Agent, route: DataRoute, write: Write, options: CallOptions) {
  return readResult(await answerWrite(agent.app, callOf(agent, route, options), write))
}

function readResult(response: CallResponse): CallResult {
  const { problem, headers } = response
  if (problem) throw new CallRefusedError(problem)
  return { body: bodyOf(response), headers }
}

const neverWait = async (): Promise<boolean> => false

/** Creates a call with an id of its own, under which the call log stores its details. */
function callOf(
  agent: Agent,
  route: DataRoute,
  { params = {}, query = {}, headers = {}, body, preview }: CallOptions,
): Call {
  const { share, peer, rawHeaders, startedAt, errorsPage, client } = agent
  const [authorization = ''] = authorizationsIn(rawHeaders)
  const rate = agent.takeRate()
  const sent = {
    Authorization: authorization,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...headers,
  }
  return {
    route,
    path: route.path.replace(/\{(\w{1,40})\}/g, (_, name) => encodeURIComponent(params[name] ?? '')),
    params,
    query: new URLSearchParams(query).toString(),
    rawHeaders: Object.entries(sent).flat(),
    body: body === undefined ? emptyBody : { bytes: Buffer.from(JSON.stringify(body)) },
    ...{ peer, share, startedAt, errorsPage, requestId: randomUUID() },
    ...(rate ? { rate } : {}),
    agent: { client, ...(preview === undefined ? {} : { preview }) },
  }
}
