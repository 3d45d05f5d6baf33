import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import type { Config } from '../config/config.ts'
import { hostOrigin } from './base.ts'

const hstsSeconds = 365 * 24 * 3600

/**
 * Strict-Transport-Security (RFC 6797) on every answer under the name that has TLS and under no other: not to a request
 * that came to this machine by another way, and never for localhost or an address, which other services may share.
 */
export function openHsts({ publicUrl }: Pick<Config, 'publicUrl'>) {
  if (publicUrl === null || !hasOwnNameOverTls(new URL(publicUrl))) return () => undefined
  return ({ headers }: IncomingMessage, response: ServerResponse): void => {
    if (hostOrigin('https:', headers.host) === publicUrl)
      response.setHeader('Strict-Transport-Security', `max-age=${hstsSeconds}`)
  }
}

const hasOwnNameOverTls = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && !/(^|\.)localhost$/.test(hostname)
