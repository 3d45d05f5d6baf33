import type { IncomingMessage } from 'node:http'
import { Refusal } from '#registry/refusals.ts'
import type { Config } from '../config/config.ts'
import { authorityOf, isHost } from '../protocol/required-headers.ts'

/** Returns the address that the caller used, for links in responses. */
export function baseOf({ publicUrl, host: own, port }: Config, request: IncomingMessage): string {
  if (publicUrl !== null) return publicUrl
  const host = authorityOf(request)
  return isHost(host) ? `http://${host}` : `http://${own}:${port}`
}

/** Returns the origin of a Host header, or undefined if it is malformed. */
export const hostOrigin = (protocol: string, host: string | undefined): string | undefined =>
  host === undefined ? undefined : URL.parse(`${protocol}//${host}`)?.origin

/** Splits a request's target into path and query. An absolute one (RFC 9112 3.2.2) names the same path. */
export function splitTarget(target: string): [path: string, query: string] {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '') || '/'
  const at = local.indexOf('?')
  return at < 0 ? [plainPath(local), ''] : [plainPath(local.slice(0, at)), local.slice(at + 1)]
}

/** Decodes characters that need no percent-encoding (RFC 3986 6.2.2.2). */
const plainPath = (path: string): string =>
  path.includes('%')
    ? path.replace(/%[0-7][\da-f]/gi, (coded) => {
        const character = String.fromCharCode(Number.parseInt(coded.slice(1), 16))
        return /[\w.~-]/.test(character) ? character : coded
      })
    : path

/** Returns an Origin header; anything but an origin in its one spelling is none. */
export const originOf = (text: string | undefined): string | undefined =>
  text !== undefined && URL.parse(text)?.origin === text ? text : undefined

/** Whether an origin, by default that of the header, is the service's own: scheme, host and port together. */
export const isOwnOrigin = (
  { publicUrl }: Pick<Config, 'publicUrl'>,
  { headers }: Pick<IncomingMessage, 'headers'>,
  origin = originOf(headers.origin),
): boolean => origin !== undefined && origin === (publicUrl ?? hostOrigin('http:', headers.host))

/** Throws if a page of another origin sends the request. Programs send no Origin. */
export function refuseForeignOrigin(config: Pick<Config, 'publicUrl'>, request: Pick<IncomingMessage, 'headers'>) {
  if (request.headers.origin === undefined || isOwnOrigin(config, request)) return
  throw new Refusal('cross_site_request')
}
