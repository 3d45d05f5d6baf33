import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import cookies from '@fastify/cookie'
import helmet from '@fastify/helmet'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { Refusal } from '#registry/refusals.ts'
import { localTarget } from '../http/base.ts'
import type { Room } from '../http/connections.ts'
import { contentPolicy } from '../http/content-policy.ts'
import { hungUpStatus, type Stage } from '../http/door.ts'
import { failed } from '../http/failed.ts'
import type { Admission } from '../http/gate.ts'
import { CallerGone, isUnread, readAway } from '../http/read-bytes.ts'
import { inTurns } from '../http/send.ts'
import { openPasswordDesk } from '../service/password.ts'
import type { Session } from '../service/session.ts'
import type { World } from '../world.ts'
import { admitted } from './admitted.ts'
import { serveApp } from './app-files.ts'
import type { ConsoleReply, ConsoleRoute } from './asked.ts'
import { type Client, clientReader } from './client.ts'
import { coded } from './coded.ts'
import { type Cookies, cookiesOf, setCookies, shownCookies } from './cookie.ts'
import { pathsOf, routes } from './routes.ts'
import { securityHeaders } from './security-headers.ts'

/** The web interface's own door: the app's files, and under /console/ what it asks of the services. */
export type ConsoleDoor = {
  open(request: IncomingMessage, response: ServerResponse, room: Room): void
  close(): Promise<void>
}

/** A file or an export on its way: what is read ahead, and what the connection has not taken yet. */
const streamedBytes = 2 * 64 * 1024

const hashesAtOnceMax = 4
const hashWaitMilliseconds = 2000

export async function openConsoleDoor(
  world: World,
  stage: Stage,
  admission: Admission,
  folder: string,
): Promise<ConsoleDoor> {
  const desk = openPasswordDesk({ atOnceMax: hashesAtOnceMax, waitMilliseconds: hashWaitMilliseconds })
  const clientOf = clientReader(world.config.trustedProxies)
  const names = cookiesOf(world.config)
  const app = fastify({
    genReqId: () => randomUUID(),
    frameworkErrors: (_error, request, reply) => answerProblem(request, reply, new Refusal('not_found')),
  })
  app.decorateRequest('startedAt', 0)
  app.decorateRequest('room')
  app.decorateRequest('route', 'console.app')
  app.decorateRequest('client')
  app.decorateRequest('who')
  await app.register(cookies)
  await app.register(helmet, securityHeaders)

  // Bodies are read in their turn, after whoever sends them is known.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))

  const rooms = new WeakMap<IncomingMessage, Room>()
  app.addHook('onRequest', async (request) => {
    request.startedAt = world.clock.elapsed()
    request.client = clientOf(request.raw)
    const { peer, forwardedFor } = request.client
    request.who = { peer, ...(forwardedFor === null ? {} : { forwarded_for: forwardedFor }) }
    request.room = rooms.get(request.raw) as Room
    const { isSpare, has, hold } = request.room
    // Held from the beginning: of many that are sent ahead, the first are served and the others refused.
    const bytes = request.method === 'GET' ? streamedBytes : 0
    if (!isSpare && has(bytes)) return hold(bytes)
    world.metrics.turnedAway('unheld')
    throw new Refusal('overloaded', { headers: { 'Retry-After': '1' } })
  })
  app.addHook('onSend', async ({ id, raw, room }, reply, payload) => {
    reply.header('X-Request-Id', id)
    if (isWhole(payload)) room?.hold(Buffer.byteLength(payload))
    // A body that nobody reads would be taken for the next request.
    if (stage.is === 'closing' || room?.isSpare || isUnread(raw)) reply.header('Connection', 'close')
    if (payload instanceof Readable && room) return Readable.from(inTurns(room)(payload), { objectMode: false })
    if (!isUnread(raw) || !isWhole(payload)) return payload
    reply.header('Content-Length', Buffer.byteLength(payload))
    return Readable.from(untilRead(raw, room, payload), { objectMode: false })
  })
  app.addHook('onResponse', async (request, { statusCode: status }) => {
    const ms = world.clock.elapsed() - request.startedAt
    world.metrics.answered(request.route, status, ms / 1000)
    const line = { request_id: request.id, method: request.method, path: pathOf(request), status, ms, ...request.who }
    if (status >= 400) world.log.info(line, 'refused')
    else world.log.debug(line, 'answered')
  })
  // Of what the framework itself refuses, one is a type that is none; the others are paths that lead nowhere.
  app.setErrorHandler((error, request, reply) => {
    if (!(error instanceof CallerGone)) return answerProblem(request, reply, frameworksRefusal(error) ?? error)
    reply.hijack()
    world.metrics.answered(request.route, hungUpStatus, (world.clock.elapsed() - request.startedAt) / 1000)
    world.log.debug({ request_id: request.id, method: request.method, path: pathOf(request) }, 'the caller hung up')
  })

  for (const [path, byMethod] of pathsOf(routes)) {
    app.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: path.replace('{id}', ':id'),
      handler: async (request, reply) => {
        const route = routeOf(request, byMethod)
        if (!route) return reply.code(204).header('Allow', allowed(byMethod)).send()
        request.route = `console.${route.id}`
        const { client, headers } = request
        const given = await admitted(admission, { world, desk, route, client, ...asked(request, names), seen })
        return answer(reply, await coded(route, given, headers))

        function seen({ key, row }: Session): void {
          request.who = { ...request.who, account_id: row.account_id, company_id: key.companyId }
        }
      },
    })
  }
  await serveApp(app, folder)
  await app.ready()

  return {
    open: (request, response, room) => {
      rooms.set(request, room)
      request.url = localTarget(request.url ?? '/')
      app.routing(request, response)
    },
    close: () => app.close(),
  }

  function answer(reply: FastifyReply, { status, headers, body, ...changed }: ConsoleReply): FastifyReply {
    setCookies(names, reply, changed)
    // What no path could be read from passes no hook.
    reply.header('X-Request-Id', reply.request.id)
    if (!reply.hasHeader('Content-Security-Policy')) reply.headers(contentPolicy)
    return reply.code(status).headers(headers).send(body)
  }

  function answerProblem(request: FastifyRequest, reply: FastifyReply, error: unknown) {
    return answer(reply, failed(world, error, request.id, request.route))
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the world's clock, in milliseconds. */
    startedAt: number
    room: Room
    client: Client
    /** What metrics call it. */
    route: string
    /** What its line in the log says of who sent it. */
    who: { peer: string | undefined; forwarded_for?: string; account_id?: number; company_id?: number }
  }
}

const isWhole = (payload: unknown): payload is string | Buffer =>
  typeof payload === 'string' || Buffer.isBuffer(payload)

/** The answer goes out at once; the connection is closed when what the caller still sends has been read. */
async function* untilRead(request: IncomingMessage, room: Room, payload: string | Buffer): AsyncGenerator<Buffer> {
  yield Buffer.from(payload as string)
  await readAway(request, room)
}

function asked({ raw, room, id, params, cookies, startedAt }: FastifyRequest, names: Cookies) {
  const [path = '/', ...query] = (raw.url ?? '/').split('?')
  return {
    request: raw,
    room,
    ...shownCookies(names, cookies),
    path,
    query: query.join('?'),
    id: (params as { id?: string }).id,
    requestId: id,
    startedAt,
  }
}

const pathOf = ({ raw }: FastifyRequest): string => (raw.url ?? '/').split('?', 1)[0] as string

type ByMethod = ReadonlyMap<string, ConsoleRoute>

function frameworksRefusal(error: unknown): Refusal | undefined {
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Refusal('unsupported_media_type')
  if (!String(code).startsWith('FST_') || typeof statusCode !== 'number' || statusCode >= 500) return undefined
  return new Refusal('not_found')
}

/** The route of a path that has the method; none for OPTIONS. */
function routeOf({ method }: FastifyRequest, byMethod: ByMethod): ConsoleRoute | undefined {
  const route = byMethod.get(method === 'HEAD' ? 'GET' : method)
  if (!route && method !== 'OPTIONS') throw new Refusal('method_not_allowed', { headers: { Allow: allowed(byMethod) } })
  return route
}

const allowed = (byMethod: ByMethod): string =>
  [...byMethod.keys()]
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .concat('OPTIONS')
    .join(', ')
