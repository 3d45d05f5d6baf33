import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { withDeprecation } from '#derive/deprecation.ts'
import { isWrite } from '#derive/routes.ts'
import { Refusal } from '#registry/refusals.ts'
import type { Share } from '../fair/shares.ts'
import type { ChangeWatch } from '../service/change-watch.ts'
import type { Rate } from '../service/token-rate.ts'
import { refusalAnswer, replyOf } from '../walk/answer.ts'
import type { BoundCall } from '../walk/bind.ts'
import type { Body, Call, Reply, Wait } from '../walk/call.ts'
import { claimOf } from '../walk/see-caller.ts'
import { admit } from '../walk/walk.ts'
import type { World } from '../world.ts'
import { baseOf, splitTarget } from './base.ts'
import { type Accepts, inCoding } from './codings.ts'
import type { Room } from './connections.ts'
import type { Describe } from './describe.ts'
import { failed } from './failed.ts'
import type { Admission, Sort } from './gate.ts'
import { rateLimitHeaders } from './rate-limit.ts'
import { readBody } from './read-body.ts'
import { CallerGone } from './read-bytes.ts'
import type { Place, Router } from './router.ts'
import { isLong, type Sent, send, wholeBytes } from './send.ts'
import { turnsOf } from './turns.ts'

/** Pages that need no token and are no part of the registry's routes: health, metrics, the errors page, assets. */
export type Pages = { readonly [path: string]: Page }
export type Page = {
  answer: (asked: { accepts: Accepts }) => Promise<Sent> | Sent
  /** Answered whatever else there is no room for. */
  isHealth?: true
  /** It takes its turn among the public documents. */
  isDocument?: true
}

/** How far the process is on its way out. */
export type Stage = { is: 'serving' | 'leaving' | 'closing' }

/** `refused`: what HTTP itself has against the request. */
export type Door = (request: IncomingMessage, response: ServerResponse, room: Room, refused?: Refusal) => void

/**
 * `describe` makes a public document; `stage` says whether it is about to stop; `admission` has room for a call or not, by
 * the share of whoever sends it; `changes` wakes calls that wait for one.
 */
export type DoorParts = {
  router: Router
  pages: Pages
  describe: Describe
  stage: Stage
  admission: Admission
  changes: ChangeWatch
}

/** Turns a request into a call, and what comes of it into a response: the only place that knows HTTP's own types. */
export function makeDoor(world: World, { router, pages, describe, stage, admission, changes }: DoorParts): Door {
  const { gate, shares } = admission
  const turn = turnsOf(1)
  return async (request, response, room, refused) => {
    const startedAt = world.clock.elapsed()
    const requestId = randomUUID()
    // Read before anything is waited for: a socket that has closed no longer says who it was.
    const peer = request.socket.remoteAddress
    const [path, query] = splitTarget(request.url ?? '/')
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined
    const place = router(path)
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '')
    const bound = place?.byMethod.get(method)
    const route = bound?.route
    let turnedAway = false

    let reply: Sent
    try {
      if (!page?.isHealth && (room.isSpare || !room.has(0))) reply = turnAway('unheld')
      else reply = await answer()
      // Only an answer that was read out is so long, and nothing was changed for it.
      if (isLong(reply) && !room.has(wholeBytes)) reply = turnAway('unheld')
    } catch (error) {
      if (error instanceof CallerGone) return hungUp()
      reply = failed(world, error, requestId, route?.id ?? path)
    }
    if (route?.deprecated) reply = { ...reply, headers: withDeprecation(reply.headers, route.deprecated) }
    try {
      send({ request, response, room, requestId }, reply, stage.is === 'closing' || room.isSpare)
      finish(reply.status)
    } catch (error) {
      world.log.error({ error, request_id: requestId }, 'the answer could not be sent')
      response.destroy()
    }

    function answer(): Sent | Promise<Sent> {
      if (refused) throw refused
      // Node makes the object of all headers when it is first asked for, which calls are spared.
      const shown = () => (page as Page).answer({ accepts: request.headers })
      if (page && method === 'GET') return page.isDocument ? inTurn(shown) : shown()
      if (page) return onlyThese({ allow: 'GET, HEAD, OPTIONS', options: { Allow: 'GET, HEAD, OPTIONS' } }, method)
      if (!place) throw new Refusal('not_found')
      if (!bound) return onlyThese(place, method)
      if ('make' in bound) return inTurn(() => describe(bound, baseOf(world.config, request), request.headers))
      const { rawHeaders } = request
      const share = shares.of(claimOf(rawHeaders), peer)
      const call: Call = {
        ...{ path, params: place.params, query, rawHeaders, peer, share, requestId, startedAt },
        route: bound.route,
        body: nothing,
      }
      return bound.route.body ? withBody(call, bound) : through(call, bound)
    }

    /** Read before the gate: who sends slowly takes no place, and who is turned away keeps the connection. */
    async function withBody(call: Call, bound: BoundCall): Promise<Sent> {
      let turnedBack: Sent | undefined
      const body = await readBody(request, room, async () => {
        const seen = await within(sortOf(call), call.share, () => admit(world, call))
        if (typeof seen === 'boolean') return seen
        turnedBack = seen
        return false
      })
      return turnedBack ?? through({ ...call, body }, bound)
    }

    function inTurn(make: () => Promise<Sent> | Sent): Promise<Sent> {
      return within('documents', shares.of(undefined, peer), async () => {
        await turn()
        return make()
      })
    }

    function through(call: Call, { walk }: BoundCall): Promise<Sent> {
      return within(sortOf(call), call.share, async (rest) => {
        try {
          call.wait = (...asked) => rest(() => wait(...asked))
          const reply = await walk(world, call)
          // Compressed within the limiter: it is work too.
          const coded = await inCoding(reply, () => request.headers, !isWrite(call.route))
          return call.rate ? limited(coded, call.rate) : coded
        } catch (error) {
          if (call.rate && !(error instanceof CallerGone))
            return limited(failed(world, error, requestId, call.route.id), call.rate)
          throw error
        }
      })
    }

    async function within<T>(sort: Sort, share: Share, work: (rest: Rest) => Promise<T>): Promise<T | Sent> {
      const entering = gate.enter(sort, share)
      if (!(entering === true || (entering !== false && (await entering)))) return turnAway()
      let enteredAt: number | undefined = world.clock.elapsed()
      const leave = (): void => {
        if (enteredAt !== undefined) gate.leave(sort, share, enteredAt)
        enteredAt = undefined
      }
      try {
        return await work(async (waiting) => {
          leave()
          const result = await waiting()
          if (!(await gate.enter(sort, share))) throw noRoom
          enteredAt = world.clock.elapsed()
          return result
        })
      } finally {
        leave()
      }
    }

    /** Ends when the caller hangs up, too. */
    async function wait(...asked: Parameters<Wait>): Promise<boolean> {
      const gone = new AbortController()
      const onClose = (): void => gone.abort()
      response.on('close', onClose)
      const goesOn = await changes.wait(...asked, gone.signal)
      response.off('close', onClose)
      if (gone.signal.aborted) throw new CallerGone()
      return goesOn
    }

    function turnAway(why?: 'unheld'): Sent {
      turnedAway = true
      if (why) world.metrics.turnedAway(why)
      return replyOf(refusalAnswer(noRoom, requestId, world.config.publicUrl))
    }

    function hungUp(): void {
      const seconds = (world.clock.elapsed() - startedAt) / 1000
      world.metrics.answered(route?.id ?? 'other', hungUpStatus, seconds)
      world.log.debug({ request_id: requestId, method: request.method, path }, 'the caller hung up')
    }

    function finish(status: number): void {
      const seconds = (world.clock.elapsed() - startedAt) / 1000
      world.metrics.answered(route?.id ?? 'other', status, seconds)
      const line = { request_id: requestId, method: request.method, path, status, ms: seconds * 1000, peer }
      // Those turned away are counted together: a line for each would cost more than turning them away.
      if (status >= 400 && !turnedAway) world.log.info(line, 'refused')
      else world.log.debug(line, 'answered')
    }
  }
}

/** Gives the place back while it waits, and takes one again. */
type Rest = <Result>(waiting: () => Promise<Result>) => Promise<Result>

const nothing: Body = { bytes: Buffer.alloc(0) }

/** What metrics call a request whose caller did not stay for an answer; none is sent. */
export const hungUpStatus = 499

const sortOf = ({ route }: Call): Sort => (isWrite(route) ? 'writes' : 'reads')

const limited = <Answer extends Sent>(reply: Answer, rate: Rate): Answer => ({
  ...reply,
  headers: { ...reply.headers, ...rateLimitHeaders(rate) },
})

/** Made once: there may be thousands a second, and an error notes where it was made each time. */
const noRoom = new Refusal('overloaded', { headers: { 'Retry-After': '1' } })

function onlyThese({ allow, options }: Pick<Place, 'allow' | 'options'>, method: string): Reply {
  if (method === 'OPTIONS') return { status: 204, headers: options, body: '' }
  throw new Refusal('method_not_allowed', { headers: { Allow: allow } })
}
