import { withDeprecation } from '#derive/deprecation.ts'
import { isWrite } from '#derive/routes.ts'
import { bodyBytesMax } from '#registry/limits.ts'
import { Refusal } from '#registry/refusals.ts'
import { claimOf } from '../pipeline/authorize.ts'
import type { BoundCall, BoundRoute } from '../pipeline/bind.ts'
import type { Call, PathParams, Wait } from '../pipeline/call.ts'
import { admit } from '../pipeline/pipeline.ts'
import { errorsAddress, replyOf } from '../pipeline/response.ts'
import { emptyBody } from '../protocol/body.ts'
import type { ChangeWatch } from '../service/change-watch.ts'
import { type Rate, windowSeconds } from '../service/token-rate.ts'
import type { Admission } from './admission.ts'
import type { App } from './app.ts'
import { baseOf } from './base.ts'
import { inCoding, preflightHeaders } from './codings.ts'
import type { FailureResponder } from './failure-log.ts'
import type { RequestSort } from './limiter.ts'
import type { DocumentResponder, Pages } from './pages.ts'
import { callerGone, readBody } from './read-bytes.ts'
import { type HttpRequest, onlyThese, type Site, type Target } from './request-handler.ts'
import { allowOf, type RouteMatch, type Router } from './router.ts'
import type { HttpResponse } from './send.ts'
import { turnsOf } from './turns.ts'

/** `describe` builds a public document; `changes` wakes calls that wait; `allow` lists all methods of the service. */
type ApiParts = {
  router: Router<BoundRoute>
  pages: Pages
  describe: DocumentResponder
  admission: Admission
  changes: ChangeWatch
  failed: FailureResponder
  allow: string
}

/** Converts requests under /v1 to calls, and serves the documents and the operator's pages. */
export function createApi(app: App, { router, pages, describe, admission, changes, failed, allow }: ApiParts): Site {
  const { within, outside, shares, refuseWritesInShortage } = admission
  const turn = turnsOf(1)
  const errorsPage = errorsAddress(app.config.publicUrl)
  return (incoming) => pageAt(incoming) ?? routeAt(incoming)

  function pageAt({ request, method, path, peer }: HttpRequest): Target | undefined {
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined
    if (!page) return undefined
    const { isHealth, isDocument, isPublic } = page
    // Node builds the object of all headers on first use, and calls do without it.
    const shown = () => page.answer({ accepts: request.headers })
    if (method !== 'GET') return { isHealth, answer: () => onlyThese(isPublic ? publicOnly : readOnly, method) }
    return { isHealth, answer: isDocument ? () => inTurn(peer, shown) : shown }
  }

  function routeAt(incoming: HttpRequest): Target {
    const { request, path, method, peer } = incoming
    // RFC 9110 9.3.7
    if (path === '*' && method === 'OPTIONS') return { answer: () => onlyThese(optionsOf(allow), method) }
    const match = router(path)
    if (!match) return { answer: notFound }
    const bound = match.byMethod.get(method)
    if (!bound) return { answer: () => onlyThese(isPublic(match) ? publicOnly : match, method) }
    const { id, deprecated } = bound.route
    return {
      route: id,
      headed: deprecated && (({ headers }) => withDeprecation(headers, deprecated)),
      answer: () =>
        'make' in bound
          ? inTurn(peer, () => describe(bound, baseOf(app.config, request), request.headers))
          : called(incoming, bound, match.params),
    }
  }

  function called(incoming: HttpRequest, bound: BoundCall, params: PathParams): Promise<HttpResponse> {
    const { route } = bound
    if (isWrite(route)) refuseWritesInShortage()
    const { request, path, query, peer, requestId, startedAt } = incoming
    const { rawHeaders } = request
    const share = shares.of(claimOf(rawHeaders), peer)
    const body = emptyBody
    const call: Call = { route, path, params, query, rawHeaders, peer, share, requestId, startedAt, errorsPage, body }
    return route.body ? withBody(incoming, call, bound) : through(incoming, call, bound)
  }

  /** Reads the body before admission: a slow sender takes no slot, and a refused one keeps its connection. */
  async function withBody(incoming: HttpRequest, call: Call, bound: BoundCall): Promise<HttpResponse> {
    const body = await readBody(incoming.request, incoming.budget, bound.route.body?.bytesMax ?? bodyBytesMax, () =>
      within(sortOf(call), call.share, () => admit(app, call)),
    )
    return through(incoming, { ...call, body }, bound)
  }

  function through(incoming: HttpRequest, call: Call, { run }: BoundCall): Promise<HttpResponse> {
    const { request, requestId } = incoming
    return within(sortOf(call), call.share, async (slot) => {
      try {
        const reply = await run(app, call, (...asked) => outside(slot, () => wait(incoming, ...asked)))
        // Compressed within the limiter, because compression uses the processor.
        const coded = await inCoding(reply, () => request.headers, !isWrite(call.route))
        return call.rate ? addRateHeaders(coded, call.rate) : coded
      } catch (error) {
        if (call.rate && error !== callerGone)
          return addRateHeaders(replyOf(failed(error, requestId, call.route.id)), call.rate)
        throw error
      }
    })
  }

  /** Ends if the caller hangs up. */
  async function wait({ response, budget }: HttpRequest, ...asked: Parameters<Wait>): Promise<boolean> {
    const gone = new AbortController()
    const onClose = (): void => gone.abort(callerGone)
    response.on('close', onClose)
    const readOn = budget.rest()
    const goesOn = await changes.wait(...asked, gone.signal)
    readOn()
    response.off('close', onClose)
    if (gone.signal.aborted) throw callerGone
    return goesOn
  }

  function inTurn(peer: string | undefined, make: () => Promise<HttpResponse> | HttpResponse): Promise<HttpResponse> {
    return within('documents', shares.of(undefined, peer), async () => {
      await turn()
      return make()
    })
  }
}

function notFound(): never {
  throw new Refusal('not_found')
}

const optionsOf = (allow: string) => ({ allow, options: { Allow: allow } })
const readOnly = optionsOf(allowOf(['GET']))
const publicOnly = { ...readOnly, options: { ...readOnly.options, ...preflightHeaders } }

const isPublic = ({ byMethod }: RouteMatch<BoundRoute>): boolean =>
  [...byMethod.values()].every((bound) => 'make' in bound)

const sortOf = ({ route, query }: Call): RequestSort => {
  if (isWrite(route)) return 'writes'
  return route.parameterNames.includes('wait') && /(?:^|&)wait=/.test(query) ? 'polls' : 'reads'
}

const addRateHeaders = <Answer extends HttpResponse>(reply: Answer, rate: Rate): Answer => ({
  ...reply,
  headers: { ...reply.headers, ...rateLimitHeaders(rate) },
})

/**
 * Returns the headers of a caller's limit (draft-ietf-httpapi-ratelimit-headers, structured fields of RFC 9651):
 * quota, remainder, and seconds until it is full again. A draft may change; only this file would.
 */
const rateLimitHeaders = ({ limit, remaining, resetSeconds }: Rate): { [name: string]: string } => ({
  'RateLimit-Policy': `"token";q=${limit};w=${windowSeconds}`,
  RateLimit: `"token";r=${remaining};t=${resetSeconds}`,
})
