import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyHelmetOptions } from '@fastify/helmet'
import type { Config } from '../config.ts'
import { isOverTls } from './cookie.ts'
import { hostOrigin } from './cross-site.ts'

/** What every answer of the console tells the browser. */
export const securityHeaders: FastifyHelmetOptions = {
  contentSecurityPolicy: contentPolicy(),
  strictTransportSecurity: false,
  xFrameOptions: { action: 'deny' },
  referrerPolicy: { policy: 'same-origin' },
  crossOriginEmbedderPolicy: false,
}

const hstsSeconds = 365 * 24 * 3600

/**
 * Strict-Transport-Security, for the name that has TLS and for no other: not for a request that came to this machine by
 * another way, and never for localhost or an address, which other services may share.
 */
export function hstsFor(config: Pick<Config, 'publicUrl'>, { headers }: IncomingMessage): string | undefined {
  if (!isOverTls(config) || config.publicUrl === null) return undefined
  const { hostname } = new URL(config.publicUrl)
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && !/(^|\.)localhost$/.test(hostname)
  return isName && hostOrigin('https:', headers.host) === config.publicUrl ? `max-age=${hstsSeconds}` : undefined
}

/** Nothing from elsewhere. The app adds its styles as it runs, and marks them with the nonce of its page. */
export function contentPolicy(nonce?: string) {
  return {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", ...(nonce === undefined ? [] : [`'nonce-${nonce}'`])],
      imgSrc: ["'self'", 'data:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      manifestSrc: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
    },
  }
}
