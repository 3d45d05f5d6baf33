import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { Refusal, refusals } from '#registry/refusals.ts'
import { replyOf } from '../pipeline/response.ts'
import { protocolRefusal } from '../protocol/required-headers.ts'
import { overloadedRefusal } from './admission.ts'
import type { App, RequestIdentity, Stage } from './app.ts'
import { splitTarget } from './base.ts'
import type { Budget } from './connections.ts'
import type { FailureResponder } from './failure-log.ts'
import { callerGone } from './read-bytes.ts'
import type { RouteMatch } from './router.ts'
import { type Exchange, type HttpResponse, isLong, send, wholeBytes } from './send.ts'

/** A request before its caller is known. */
export type HttpRequest = Exchange & {
  /** HEAD is GET here; only the sending differs. */
  method: string
  path: string
  /** The text after the question mark. */
  query: string
  /** The address of the TCP peer; undefined if the socket has none. */
  peer: string | undefined
  /** Milliseconds of the app's clock. */
  startedAt: number
  /** The caller, as far as it is known, for the line in the log. */
  who: { peer: string | undefined; [what: string]: unknown }
}

/** The handler of a path. */
export type Target = {
  /** The name for metrics; undefined if the path is no route. */
  route?: string | undefined
  /** Whether it is answered even without room for other requests. */
  isHealth?: true | undefined
  answer(): HttpResponse | Promise<HttpResponse>
  /** Returns the headers of its answers, of refusals too. */
  headed?: ((reply: HttpResponse) => HttpResponse['headers']) | undefined
}

/** A part of the service: the API with its pages, or the console. */
export type Site = (incoming: HttpRequest) => Target

/** Creates the handler of all requests, for every part of the service. No other code uses HTTP's own types. */
export function createRequestHandler(app: App, site: Site, stage: Stage, failed: FailureResponder) {
  return async (request: IncomingMessage, response: ServerResponse, budget: Budget): Promise<void> => {
    const startedAt = app.clock.elapsed()
    const requestId = randomUUID()
    // Read before the first wait, because a closed socket no longer has its peer.
    const peer = request.socket.remoteAddress
    const [path, query] = splitTarget(request.url ?? '/')
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '')
    const identity = identityOf(request)
    if (identity) {
      app.identities.set(requestId, identity)
      response.once('close', () => app.identities.delete(requestId))
    }
    const exchange = { request, response, budget, requestId }
    const incoming: HttpRequest = { ...exchange, method, path, query, peer, startedAt, who: { peer } }
    const target = site(incoming)

    let reply: HttpResponse
    try {
      reply = await answer()
    } catch (error) {
      if (error === callerGone) return hungUp()
      reply = replyOf(failed(error, requestId, target.route ?? path))
    }
    if (target.headed) reply = { ...reply, headers: target.headed(reply) }
    try {
      send(exchange, reply, stage.is === 'closing' || budget.isSpare)
      finish(reply.status)
    } catch (error) {
      app.log.error({ error, request_id: requestId }, 'the answer could not be sent')
      response.destroy()
    }

    async function answer(): Promise<HttpResponse> {
      if (!target.isHealth && (budget.isSpare || !budget.has(0))) throw unheld()
      const refused = protocolRefusal(request)
      if (refused) throw refused
      const reply = await target.answer()
      // Only reads have answers of this length, so nothing was changed.
      if (!isLong(reply) || budget.has(wholeBytes)) return reply
      if (reply.body instanceof Readable) reply.body.destroy()
      throw unheld()
    }

    function unheld(): Refusal {
      app.metrics.shed('unheld')
      return overloadedRefusal
    }

    function hungUp(): void {
      counted(hungUpStatus)
      app.log.debug({ request_id: requestId, method: request.method, path }, 'the caller hung up')
    }

    function finish(status: number): void {
      const ms = counted(status)
      const line = { request_id: requestId, method: request.method, path, status, ms, ...incoming.who }
      // Calls that the limiter refuses, or that a dependency fails, are counted in its log and in the log of failures.
      const isCounted = status === refusals.unavailable.status && !target.isHealth
      if (status >= 400 && !isCounted) app.log.info(line, 'refused')
      else app.log.debug(line, 'answered')
    }

    function counted(status: number): number {
      const ms = app.clock.elapsed() - startedAt
      app.metrics.answered(target.route ?? 'other', status, ms / 1000)
      return ms
    }
  }
}

/** The status in metrics of a request whose caller hung up; none is sent. */
const hungUpStatus = 499

/** Returns the answer of a path to a method that it lacks. */
export function onlyThese(
  { allow, options }: Pick<RouteMatch<unknown>, 'allow' | 'options'>,
  method: string,
): HttpResponse {
  if (method === 'OPTIONS') return { status: 204, headers: options, body: '' }
  throw new Refusal('method_not_allowed', { headers: { Allow: allow } })
}

/** https://www.w3.org/TR/trace-context/#traceparent-header: version, trace, parent and flags. */
const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
const visibleAscii = /^[!-~]{1,128}$/

/** Returns the ids of a request; undefined without a usable one. A repeated header is joined, so not usable. */
export function identityOf({ headers }: Pick<IncomingMessage, 'headers'>): RequestIdentity | undefined {
  const { traceparent: trace, 'x-request-id': callerId } = headers
  const traceId = typeof trace === 'string' ? traceparent.exec(trace)?.[1] : undefined
  const isUsable = typeof callerId === 'string' && visibleAscii.test(callerId)
  if (traceId === undefined && !isUsable) return undefined
  return { ...(traceId && { trace_id: traceId }), ...(isUsable && { caller_request_id: callerId }) }
}
