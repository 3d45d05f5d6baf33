import type { Meta } from '#derive/console/responses.ts'
import { refusals } from '#registry/refusals.ts'
import type { HttpResponse } from '../http/send.ts'
import { jsonType } from '../pipeline/response.ts'
import type { Changes, ConsoleResult, ConsoleRoute } from './operation-request.ts'

/** The header that clears the browser's cache of the service. Its storage has only the layout of lists, and stays. */
export const clearsCache = { 'Clear-Site-Data': '"cache"' } as const

/**
 * Returns the headers of an answer of the console. No cache stores it (ASVS V14.3.2). The cache is cleared when a
 * session is over.
 */
export const withoutTrace = ({ status, headers }: HttpResponse, hadSession: boolean) => ({
  ...headers,
  'Cache-Control': 'no-store',
  ...(hadSession && status === refusals.unauthorized.status ? clearsCache : {}),
})

/** Returns the result of an operation in the envelopes of /v1. */
export function replyTo(
  { success }: Pick<ConsoleRoute, 'success'>,
  { data, meta, ...changes }: { data: unknown; meta?: Meta } & Changes,
): ConsoleResult {
  if (success === 204) return { status: success, headers: {}, body: '', ...changes }
  return {
    status: success ?? 200,
    headers: { 'Content-Type': jsonType },
    body: JSON.stringify({ data, meta }),
    ...changes,
  }
}

/** Returns a whole list, which has no pages. */
export const createWholeList = <Row>(data: Row[]): { data: Row[]; meta: Meta } => ({
  data,
  meta: { total: data.length, limit: data.length, offset: 0 },
})

/**
 * Returns a policy that allows nothing from other origins. The app adds its styles at run time, with the nonce of its
 * page.
 */
export const contentPolicy = (nonce?: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    nonce === undefined ? "style-src 'self'" : `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join(';')

/** The headers that every answer of the console has, refusals and files too, unless it has its own. */
export const securityHeaders = {
  'Content-Security-Policy': contentPolicy(),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'same-origin',
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Frame-Options': 'DENY',
  'X-Permitted-Cross-Domain-Policies': 'none',
  // The filter of older browsers is a vulnerability of its own.
  'X-XSS-Protection': '0',
}
