import type { IncomingMessage } from 'node:http'
import { Refusal } from '#registry/refusals.ts'
import type { Config } from '../config/config.ts'
import { hostOrigin } from '../http/base.ts'

/**
 * A page of another site may send requests with our cookie; it cannot say that they come from here. Browsers say so in
 * Sec-Fetch-Site; older ones, and any without TLS, send Origin. A request that says neither changes nothing.
 * Decisions, Console.
 */
export function refuseCrossSite({ publicUrl }: Config, { headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site']
  const origin = originOf(headers.origin)
  // Scheme, host and port together: another port is another site, and so is the same one without TLS.
  const isOurs =
    site === undefined
      ? origin !== undefined && origin === (publicUrl ?? hostOrigin('http:', headers.host))
      : site === 'same-origin' || site === 'none'
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

/** An Origin header; anything but an origin in its one spelling is none. */
const originOf = (text: string | undefined): string | undefined =>
  text !== undefined && URL.canParse(text) && new URL(text).origin === text ? text : undefined
