import type { IncomingMessage } from 'node:http'
import { dayIn } from '#derive/company-day.ts'
import type { Shape } from '#derive/console/operation.ts'
import { readPairs } from '#derive/query.ts'
import { bodyBytesMax } from '#registry/limits.ts'
import { Refusal } from '#registry/refusals.ts'
import { endPlainName, type SessionRow } from '#sql/system/sessions.ts'
import type { Config } from '../config/config.ts'
import { hostOrigin, isOwnOrigin, originOf } from '../http/base.ts'
import { readBytes } from '../http/read-bytes.ts'
import { type Body, emptyBody, readBody } from '../protocol/body.ts'
import { readHeaders } from '../protocol/headers.ts'
import { needPermission, readLiveSession, type Session, sessionOf } from '../service/session.ts'
import type { Transaction } from '../store/database.ts'
import { sessionCaller } from '../writes/caller.ts'
import { runWrite } from '../writes/run-write.ts'
import { requestOriginOf } from './client.ts'
import { keyOfWrite } from './key-policy.ts'
import type { AnyResult, ChangeOptions, ChangeWork, ConsoleResult, IncomingRequest } from './operation-request.ts'
import { readMembers } from './read-members.ts'
import { replyTo } from './response.ts'

/**
 * Answers a request to the console. The order of its checks is: headers → session → same site → own address →
 * permission → parameters and body.
 */
export async function runConsole(asking: IncomingRequest): Promise<ConsoleResult> {
  const { app, route, request, sessionText, sessionIsPlain } = asking
  const headers = readHeaders(request.rawHeaders, route.method !== 'GET')
  const session = route.needs === 'nobody' ? undefined : await liveSession(asking)
  if (route.method !== 'GET') {
    refuseCrossSite(app.config, request)
    refuseMisdirected(app.config, request)
  } else if (route.exports) refuseForeignLink(app.config, request)
  if (session) checkNeeds(asking, session)

  const most = route.bodyMax?.bytes ?? (route.body === 'a record' ? bodyBytesMax : smallBytes)
  let received: Promise<Body> | undefined
  const bytes = () => {
    received ??= asking.outside(() => readBytes(request, asking.budget, most))
    return received
  }
  const admitted = {
    ...asking,
    headers,
    session: () => {
      if (!session) throw new Error(`${route.id} has no session`)
      return session
    },
    today: () => dayOfCompany(asking, admitted.session()),
    read: <T>(work: (transaction: Transaction, companyId: number) => Promise<T>): Promise<T> =>
      app.database.transaction((transaction) => work(transaction, admitted.session().actor.companyId)),
    bytes,
    parameters: readParameters(asking),
    body: async () => {
      const sent = readBody(await bytes(), headers, route.accepts, route.bodyMax?.values)
      return route.body === 'a record' ? sent : readMembers(sent, route.body as Shape)
    },
    change: async <T extends AnyResult>(
      work: ChangeWork<T>,
      { isPreview = false, isRevocation = false, mayReplay }: ChangeOptions = {},
    ): Promise<T | ConsoleResult> => {
      const key = isPreview ? undefined : headers.idempotencyKey
      const body = key !== undefined && route.body ? await bytes() : emptyBody
      const { key: sessionKey, row } = admitted.session()
      const account = { companyId: sessionKey.companyId, accountId: row.account_id }
      const isKeyed = key !== undefined && body !== 'too large'
      const { response, tag } = await runWrite<SessionRow | undefined, Session, T | ConsoleResult>(
        app.database,
        sessionCaller(sessionKey),
        {
          admit: (held) => checkNeeds(asking, withRequest(asking, sessionOf(sessionKey, held))),
          keys: isKeyed
            ? await keyOfWrite<T>(app.secret, { ...asking, ...account, sent: key, bytes: body.bytes, mayReplay })
            : undefined,
          work: typeof work === 'function' ? { execute: work } : work,
          unread: (result) => ('unread' in result ? result.unread : undefined),
        },
        { dryRun: isPreview, isRevocation },
      )
      return tag === undefined || !('headers' in response)
        ? response
        : { ...response, headers: { ...response.headers, ETag: tag } }
    },
  }
  // The handler takes the parameters and the body that its operation declares.
  const result = await route.answer(admitted as never)
  const reply = 'status' in result ? result : replyTo(route, result)
  if (!session || !sessionIsPlain || reply.session !== undefined) return reply
  // This answer sets the cookie with the prefix in its name, which is required from now on.
  await app.database.read(endPlainName(session.key))
  return { ...reply, session: sessionText as string }
}

/** Most bodies of the console are forms; records are larger. */
const smallBytes = 4 * 1024

async function liveSession(asking: IncomingRequest): Promise<Session> {
  const { app, sessionText, sessionIsPlain, share, seen } = asking
  const session = await readLiveSession(app.database, sessionText, sessionIsPlain)
  share.report(true)
  seen(session)
  return withRequest(asking, session)
}

/** Returns the session with the origin of its request, for the log, and the company's day. */
const withRequest = (asking: IncomingRequest, session: Session): Session => ({
  ...session,
  actor: { ...session.actor, from: requestOriginOf(asking), today: () => dayOfCompany(asking, session) },
})

const dayOfCompany = ({ app: { clock } }: IncomingRequest, { row }: Session): string =>
  dayIn(row.time_zone, clock.now())

function checkNeeds(asking: IncomingRequest, session: Session): Session {
  const { needs } = asking.route
  if (needs !== 'session') needPermission(session, needs)
  return session
}

/**
 * Returns the parameters of a request. Each must belong to the operation and occur once. The definition parses those of
 * records.
 */
function readParameters({ query, route }: IncomingRequest): { readonly [name: string]: string } {
  if (!route.query) return {}
  return Object.fromEntries(readPairs(query, route.query, `${route.method} ${route.path}`))
}

/**
 * Throws if a page of another site sends the request: it may send our cookie, but cannot pretend to be of our site.
 * Browsers state the site in Sec-Fetch-Site. Older ones, and any without TLS, send Origin. A request with neither may
 * not change anything. Decisions, Console.
 */
function refuseCrossSite(config: Config, request: IncomingMessage): void {
  const isOurs = isOwnSite(request.headers['sec-fetch-site']) ?? isOwnOrigin(config, request)
  if (!isOurs) throw new Refusal('cross_site_request')
}

/**
 * Throws if a page of another site leads the browser to an export. An older browser names the page in Referer, which
 * the page can suppress. A navigation without TLS, a typed address and a bookmark name none, and are answered.
 */
function refuseForeignLink(config: Config, request: IncomingMessage): void {
  const { 'sec-fetch-site': site, referer } = request.headers
  const isOurs =
    isOwnSite(site) ?? (referer === undefined || isOwnOrigin(config, request, URL.parse(referer)?.origin ?? 'null'))
  if (!isOurs) throw new Refusal('cross_site_request')
}

/**
 * Returns whether the value of Sec-Fetch-Site is of our site; undefined if there is none. Another port counts as another
 * site, and so does the same host without TLS.
 */
const isOwnSite = (site: string | string[] | undefined): boolean | undefined =>
  site === undefined ? undefined : site === 'same-origin' || site === 'none'

/**
 * Throws if the console is to change something under another address than PUBLIC_URL: a foreign name that points at
 * this machine gives no access. A proxy may change Host, so the browser's headers count first.
 */
function refuseMisdirected({ publicUrl }: Config, { headers }: IncomingMessage): void {
  if (publicUrl === null) return
  const called =
    headers.origin === undefined ? hostOrigin(new URL(publicUrl).protocol, headers.host) : originOf(headers.origin)
  if (called !== publicUrl) {
    throw new Refusal('misdirected_request', {
      detail: `The web interface changes something at ${publicUrl} alone, as PUBLIC_URL says. Open it there, or correct PUBLIC_URL.`,
    })
  }
}
