import type { HttpResponse } from '../http/send.ts'

/** What every answer of the interface tells the browser, refusals and files too. */
export const withSecurityHeaders = (headers: HttpResponse['headers']): HttpResponse['headers'] => ({
  ...securityHeaders,
  ...headers,
})

/** Nothing from elsewhere. The app adds its styles as it runs, and marks them with the nonce of its page. */
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

const securityHeaders = {
  'Content-Security-Policy': contentPolicy(),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'same-origin',
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Frame-Options': 'DENY',
  'X-Permitted-Cross-Domain-Policies': 'none',
  // The filter that older browsers had is a way in of its own.
  'X-XSS-Protection': '0',
}
