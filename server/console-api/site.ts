import { availableParallelism } from 'node:os'
import { pipeline, type Readable } from 'node:stream'
import { consoleRoot } from '#derive/console/operations.ts'
import type { Admission } from '../http/admission.ts'
import { type AcceptHeaders, codingFor, createCompressor, inCoding } from '../http/codings.ts'
import type { RequestSort } from '../http/limiter.ts'
import { type HttpRequest, onlyThese, type Site, type Target } from '../http/request-handler.ts'
import { createRouter } from '../http/router.ts'
import type { HttpResponse } from '../http/send.ts'
import { openPaperQueue } from '../paper/paper-queue.ts'
import { openPaperThread } from '../paper/paper-thread.ts'
import { openPasswordQueue } from '../service/password.ts'
import { claimOfSession, type Session } from '../service/session.ts'
import type { AppFiles } from './app-files.ts'
import { clientReader } from './client.ts'
import { cookiesOf, setCookies, shownCookies } from './cookie.ts'
import type { App, ConsoleRoute } from './operation-request.ts'
import { runConsole } from './pipeline.ts'
import { clearsCache, securityHeaders, withoutTrace } from './response.ts'
import { routes } from './routes.ts'

/** Each hash takes a processor and 19 MiB. */
const hashesAtOnceMax = Math.min(4, availableParallelism())
/** A sign-in without a company is twenty hashes: the wait is for a few of them. */
const hashWaitMilliseconds = 4000

/** Creates the console: its operations under /console/, and its files everywhere else. */
export function createConsole(app: App, admission: Admission, files: AppFiles): Site {
  const { shares, within, outside, refuseWritesInShortage } = admission
  const passwords = openPasswordQueue({ atOnceMax: hashesAtOnceMax, waitMilliseconds: hashWaitMilliseconds })
  const papers = openPaperQueue(openPaperThread())
  const clientOf = clientReader(app.config.trustedProxies)
  const cookies = cookiesOf(app.config)
  const router = createRouter(routes)
  return leadsTo

  function leadsTo(incoming: HttpRequest): Target {
    const { path, method, request } = incoming
    const match = router(path)
    const shown = shownCookies(cookies, request.headers.cookie)
    const isAnswer = path.startsWith(`${consoleRoot}/`)
    const headed = (reply: HttpResponse) => ({
      ...securityHeaders,
      ...(isAnswer ? withoutTrace(reply, shown.sessionText !== undefined) : reply.headers),
    })
    if (!match) return { route: 'console.app', answer: () => files(path, method, request.headers), headed }
    const route = match.byMethod.get(method)
    if (!route) return { route: 'console.app', answer: () => onlyThese(match, method), headed }
    return {
      route: `console.${route.id}`,
      answer: () => answerOperation(incoming, route, match.params.id, shown),
      headed,
    }
  }

  /** Chooses the share: a session uses that of its company's console, a sign-in that of its peer. Decisions, Shares. */
  async function answerOperation(
    incoming: HttpRequest,
    route: ConsoleRoute,
    id: string | undefined,
    shown: ReturnType<typeof shownCookies>,
  ): Promise<HttpResponse> {
    const { request, who } = incoming
    if (needsRoom(route)) refuseWritesInShortage()
    const client = clientOf(request)
    if (client.forwardedFor !== null) who.forwarded_for = client.forwardedFor
    const share = shares.of(claimOfSession(shown.sessionText), client.peer)
    const seen = ({ key, row }: Session): void =>
      void Object.assign(who, { account_id: row.account_id, company_id: key.companyId })
    return within(sortOf(route, shown.devices), share, async (slot) => {
      const known = { ...incoming, ...shown, app: sharedBy(app, share), passwords, papers, route, id, client, share }
      const { session, devices, ...reply } = await runConsole({
        ...known,
        outside: (work) => outside(slot, work),
        seen,
      })
      const coded = await inItsCoding(route, reply, request.headers)
      return {
        ...coded,
        headers: session === null ? { ...coded.headers, ...clearsCache } : coded.headers,
        cookies: setCookies(cookies, { session, devices }),
      }
    })
  }
}

/** Returns whether a route needs room on the disk: no read, no sign-in or sign-out, and none that says so. */
const needsRoom = ({ needs, method, needsNoRoom }: ConsoleRoute): boolean =>
  method !== 'GET' && needs !== 'nobody' && !needsNoRoom

function sortOf({ needs, method }: ConsoleRoute, devices: string | undefined): RequestSort {
  if (needs === 'nobody') return devices === undefined ? 'sign-ins' : 'known-sign-ins'
  return method === 'GET' ? 'reads' : 'writes'
}

/** Returns the same app, which uses the share for its connections. */
const sharedBy = (app: App, share: Parameters<App['database']['read']>[1]): App => ({
  ...app,
  database: {
    ...app.database,
    read: (statement) => app.database.read(statement, share),
    transaction: (work, _, options) => app.database.transaction(work, share, options),
  },
})

/** Encodes an answer in the browser's preferred coding; an export while it is sent. Decisions, HTTP. */
export async function inItsCoding(
  { showsSecret, method }: Pick<ConsoleRoute, 'showsSecret' | 'method'>,
  { status, headers, body }: { status: number; headers: HttpResponse['headers']; body: string | Buffer | Readable },
  accepts: AcceptHeaders,
): Promise<HttpResponse> {
  // A PDF is compressed in itself.
  if (showsSecret || Buffer.isBuffer(body)) return { status, headers, body }
  if (typeof body === 'string') return inCoding({ status, headers, body }, () => accepts, method === 'GET')
  const coding = codingFor(accepts)
  if (coding === undefined) return { status, headers, body }
  return {
    status,
    headers: { ...headers, Vary: 'Accept-Encoding', 'Content-Encoding': coding },
    body: pipeline(body, createCompressor(coding), () => undefined),
  }
}
