import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isDataRoute, isWrite, type Route } from '#derive/routes.ts'
import { Refusal } from '#registry/refusals.ts'
import { refusalAnswer, replyOf } from '../walk/answer.ts'
import type { Body, Call, Reply } from '../walk/call.ts'
import { walk } from '../walk/walk.ts'
import type { World } from '../world.ts'
import { baseOf, splitTarget } from './base.ts'
import { contentPolicy } from './content-policy.ts'
import { failed } from './failed.ts'
import type { Gate } from './gate.ts'
import { readBytes } from './read-bytes.ts'
import type { Place, Router } from './router.ts'

/** Pages that need no token and are no part of the registry's routes: health, metrics, the errors page, assets. */
export type Page = (request: PageRequest) => Promise<Reply> | Reply
export type Pages = { readonly [path: string]: Page }
export type PageRequest = { base: string }

/** How far the process is on its way out. */
export type Stage = { is: 'serving' | 'leaving' | 'closing' }

export type Door = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Turns a request into a call, and what comes of it into a response: the only place that knows HTTP's own types.
 * `describe` makes a public document; `stage` says whether it is about to stop; `gate` has room for a call or not.
 */
export function makeDoor(
  world: World,
  router: Router,
  pages: Pages,
  describe: (config: World['config'], route: Route, base: string) => Reply,
  stage: Stage,
  gate: Gate,
): Door {
  return async (request, response) => {
    const startedAt = world.clock.elapsed()
    const requestId = randomUUID()
    // Read before anything is waited for: a socket that has closed no longer says who it was.
    const peer = request.socket.remoteAddress
    const [path, query] = splitTarget(request.url ?? '/')
    const place = router(path)
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '')
    const route = place?.byMethod.get(method)
    let turnedAway = false

    let reply: Reply
    try {
      reply = await answer()
    } catch (error) {
      reply = failed(world, error, requestId, route?.id ?? path)
    }
    try {
      send(request, response, reply, requestId, stage.is === 'closing')
      finish(reply.status)
    } catch (error) {
      world.log.error({ error, request_id: requestId }, 'the answer could not be sent')
      response.destroy()
    }

    function answer(): Reply | Promise<Reply> {
      const page = Object.hasOwn(pages, path) ? pages[path] : undefined
      if (page && method === 'GET') return page({ base: baseOf(world.config, request) })
      if (page) return onlyThese('GET, HEAD, OPTIONS', method)
      if (!place) throw new Refusal('not_found')
      if (!route) return onlyThese(place.allow, method)
      if (!isDataRoute(route)) return describe(world.config, route, baseOf(world.config, request))
      const { rawHeaders } = request
      const call = { route, path, id: place.id, query, rawHeaders, peer, requestId, startedAt }
      // Read before the gate: who sends slowly takes no place, and who is turned away keeps the connection.
      const body = bodyOf(request, place)
      return body instanceof Promise ? body.then((body) => through({ ...call, body })) : through({ ...call, body })
    }

    async function through(call: Call): Promise<Reply> {
      const sort = isWrite(call.route) ? 'writes' : 'reads'
      const enteredAt = world.clock.elapsed()
      turnedAway = !gate.enter(sort)
      if (turnedAway) return replyOf(refusalAnswer(noRoom, requestId, world.config.publicUrl))
      try {
        return await walk(world, call)
      } finally {
        gate.leave(sort, enteredAt)
      }
    }

    function finish(status: number): void {
      const seconds = (world.clock.elapsed() - startedAt) / 1000
      world.metrics.answered(route?.id ?? 'other', status, seconds)
      const line = { request_id: requestId, method: request.method, path, status, ms: seconds * 1000 }
      // Those turned away are counted together: a line for each would cost more than turning them away.
      if (status >= 400 && !turnedAway) world.log.info(line, 'refused')
      else world.log.debug(line, 'answered')
    }
  }
}

const nothing: Body = { bytes: Buffer.alloc(0) }

const bodyOf = (request: IncomingMessage, { id }: Place): Promise<Body> | Body =>
  request.method === 'POST' || (request.method === 'PATCH' && id !== undefined) ? readBytes(request) : nothing

/** Made once: there may be thousands a second, and an error notes where it was made each time. */
const noRoom = new Refusal('overloaded', { headers: { 'Retry-After': '1' } })

function onlyThese(allow: string, method: string): Reply {
  if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow }, body: '' }
  throw new Refusal('method_not_allowed', { headers: { Allow: allow } })
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: Reply,
  requestId: string,
  closing: boolean,
): void {
  const unread = !request.complete && request.method !== 'GET' && request.method !== 'HEAD'
  response.writeHead(status, {
    ...contentPolicy,
    ...headers,
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    ...(status === 204 || status === 304 ? {} : { 'Content-Length': Buffer.byteLength(body) }),
    // A body that nobody reads would be taken for the next request.
    ...(closing || unread ? { Connection: 'close' } : {}),
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}
