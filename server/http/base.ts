import type { IncomingMessage } from 'node:http'
import type { Config } from '../config.ts'

/** The address that the caller used, for whatever names it to him. */
export function baseOf({ publicUrl, host: own, port }: Config, { headers: { host } }: IncomingMessage): string {
  if (publicUrl !== null) return publicUrl
  return /^[\w.-]+(:\d{1,5})?$|^\[[\da-f:.]+\](:\d{1,5})?$/i.test(host ?? '')
    ? `http://${host}`
    : `http://${own}:${port}`
}

/** Path and query of a request's target. An absolute one (RFC 9112 3.2.2) names the same path. */
export function splitTarget(target: string): [path: string, query: string] {
  const local = localTarget(target)
  const at = local.indexOf('?')
  return at < 0 ? [local, ''] : [local.slice(0, at), local.slice(at + 1)]
}

export const localTarget = (target: string): string =>
  target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '') || '/'
