import type { IncomingMessage } from 'node:http'
import { Refusal } from '#registry/refusals.ts'
import type { Config } from '../config/config.ts'
import { hostOrigin } from '../http/base.ts'
import { isOwnOrigin, originOf } from '../http/same-origin.ts'

/**
 * A page of another site may send requests with our cookie; it cannot say that they come from here. Browsers say so in
 * Sec-Fetch-Site; older ones, and any without TLS, send Origin. A request that says neither changes nothing.
 * Decisions, Console.
 */
export function refuseCrossSite(config: Config, request: IncomingMessage): void {
  const site = request.headers['sec-fetch-site']
  // Another port is another site, and so is the same one without TLS.
  const isOurs = site === undefined ? isOwnOrigin(config, request) : site === 'same-origin' || site === 'none'
  if (!isOurs) throw new Refusal('cross_site_request')
}

/**
 * Where the address of the service is known, the console changes nothing under another: a name that somebody else
 * points at this machine is no way in. A proxy may change Host, so what the browser says counts first.
 */
export function refuseMisdirected({ publicUrl }: Config, { headers }: IncomingMessage): void {
  if (publicUrl === null) return
  const asked =
    headers.origin === undefined ? hostOrigin(new URL(publicUrl).protocol, headers.host) : originOf(headers.origin)
  if (asked !== publicUrl) {
    throw new Refusal('misdirected_request', {
      detail: `The web interface changes something at ${publicUrl} alone, as PUBLIC_URL says. Open it there, or correct PUBLIC_URL.`,
    })
  }
}
