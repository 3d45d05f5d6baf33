import type { IncomingMessage } from 'node:http'
import { Refusal } from '#registry/refusals.ts'
import type { Config } from '../config/config.ts'
import { hostOrigin } from './base.ts'

/** Returns an Origin header; anything but an origin in its one spelling is none. */
export const originOf = (text: string | undefined): string | undefined =>
  text !== undefined && URL.canParse(text) && new URL(text).origin === text ? text : undefined

/** Whether the origin is the service's own: scheme, host and port together. */
export const isOwnOrigin = (
  { publicUrl }: Pick<Config, 'publicUrl'>,
  { headers }: Pick<IncomingMessage, 'headers'>,
): boolean => {
  const origin = originOf(headers.origin)
  return origin !== undefined && origin === (publicUrl ?? hostOrigin('http:', headers.host))
}

/** Throws if a page of another origin sends the request. Programs send no Origin. */
export function refuseForeignOrigin(
  config: Pick<Config, 'publicUrl'>,
  request: Pick<IncomingMessage, 'headers'>,
): void {
  if (request.headers.origin === undefined || isOwnOrigin(config, request)) return
  throw new Refusal('cross_site_request')
}
