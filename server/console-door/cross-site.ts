import type { IncomingMessage } from 'node:http'
import { Refusal } from '#registry/refusals.ts'
import type { Config } from '../config.ts'

/**
 * A page of another site may send requests with our cookie; it cannot say that they come from here. Browsers say so in
 * Sec-Fetch-Site; older ones send Origin. A request that says neither changes nothing. Decisions, Console.
 */
export function refuseCrossSite({ publicUrl }: Config, { headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site']
  const isOurs =
    site === undefined
      ? isOwnOrigin(headers.origin, headers.host, publicUrl)
      : site === 'same-origin' || site === 'none'
  if (!isOurs) throw new Refusal('cross_site_request')
}

function isOwnOrigin(origin: string | undefined, host: string | undefined, publicUrl: string | null): boolean {
  if (origin === undefined || !URL.canParse(origin)) return false
  return origin === publicUrl || (host !== undefined && new URL(origin).host === host.toLowerCase())
}
