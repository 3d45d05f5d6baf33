import { withDeprecation } from '#derive/deprecation.ts'
import { type DataRoute, isDataRoute, isWrite, type Route } from '#derive/routes.ts'
import { Refusal } from '#registry/refusals.ts'
import type { Rate } from '../service/token-rate.ts'
import type { Body, Call } from '../walk/call.ts'
import { claimOf } from '../walk/see-caller.ts'
import { admit, walk } from '../walk/walk.ts'
import type { World } from '../world.ts'
import type { Admission } from './admission.ts'
import { baseOf } from './base.ts'
import { inCoding } from './codings.ts'
import type { Describe } from './describe.ts'
import { failed } from './failed.ts'
import type { Sort } from './gate.ts'
import type { Pages } from './pages.ts'
import { rateLimitHeaders } from './rate-limit.ts'
import { readBody } from './read-body.ts'
import { type Incoming, onlyThese, type Site, type Target } from './request-handler.ts'
import type { Router } from './router.ts'
import type { Sent } from './send.ts'
import { turnsOf } from './turns.ts'

/** `describe` makes a public document. */
export type ApiParts = { router: Router<Route>; pages: Pages; describe: Describe; admission: Admission }

/** Turns a request under /v1 into a call, and answers for the documents and the operator's pages. */
export function makeApi(world: World, { router, pages, describe, admission }: ApiParts): Site {
  const { within, shares } = admission
  const turn = turnsOf(1)
  return (incoming) => pageAt(incoming) ?? routeAt(incoming)

  function pageAt({ request, method, path, peer }: Incoming): Target | undefined {
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined
    if (!page) return undefined
    const { isHealth, isDocument } = page
    // Node makes the object of all headers when it is first asked for, which calls are spared.
    const shown = () => page.answer({ accepts: request.headers })
    if (method !== 'GET') return { isHealth, answer: () => onlyThese(readOnly, method) }
    return { isHealth, answer: isDocument ? () => inTurn(peer, shown) : shown }
  }

  function routeAt(incoming: Incoming): Target {
    const { request, path, method, peer } = incoming
    const place = router(path)
    if (!place) return { answer: notFound }
    const route = place.byMethod.get(method)
    if (!route) return { answer: () => onlyThese(place, method) }
    const { id, deprecated } = route
    return {
      route: id,
      headed: deprecated && ((headers) => withDeprecation(headers, deprecated)),
      answer: () =>
        isDataRoute(route)
          ? called(incoming, route, place.params.id)
          : inTurn(peer, () => describe(route, baseOf(world.config, request), request.headers)),
    }
  }

  function called(incoming: Incoming, route: DataRoute, id: string | undefined): Promise<Sent> {
    const { request, path, query, peer, requestId, startedAt } = incoming
    const { rawHeaders } = request
    const share = shares.of(claimOf(rawHeaders), peer)
    const call: Call = { route, path, id, query, rawHeaders, peer, share, requestId, startedAt, body: nothing }
    return hasBody(route) ? withBody(incoming, call) : through(incoming, call)
  }

  /** Read before the gate: who sends slowly takes no place, and who is turned away keeps the connection. */
  async function withBody(incoming: Incoming, call: Call): Promise<Sent> {
    const body = await readBody(incoming.request, incoming.room, () =>
      within(sortOf(call), call.share, () => admit(world, call)),
    )
    return through(incoming, { ...call, body })
  }

  function through({ request, requestId }: Incoming, call: Call): Promise<Sent> {
    return within(sortOf(call), call.share, async () => {
      try {
        const reply = await walk(world, call)
        // Compressed within the limiter: it is work too.
        const coded = await inCoding(reply, () => request.headers, !isWrite(call.route))
        return call.rate ? limited(coded, call.rate) : coded
      } catch (error) {
        if (call.rate) return limited(failed(world, error, requestId, call.route.id), call.rate)
        throw error
      }
    })
  }

  function inTurn(peer: string | undefined, make: () => Promise<Sent> | Sent): Promise<Sent> {
    return within('documents', shares.of(undefined, peer), async () => {
      await turn()
      return make()
    })
  }
}

function notFound(): never {
  throw new Refusal('not_found')
}

const readOnly = { allow: 'GET, HEAD, OPTIONS', options: { Allow: 'GET, HEAD, OPTIONS' } }
const nothing: Body = { bytes: Buffer.alloc(0) }

const sortOf = ({ route }: Call): Sort => (isWrite(route) ? 'writes' : 'reads')

const hasBody = ({ operation }: DataRoute): boolean => operation === 'create' || operation === 'update'

const limited = <Answer extends Sent>(reply: Answer, rate: Rate): Answer => ({
  ...reply,
  headers: { ...reply.headers, ...rateLimitHeaders(rate) },
})
