import type { FastifyHelmetOptions } from '@fastify/helmet'

/** What every answer of the console tells the browser. */
export const securityHeaders: FastifyHelmetOptions = {
  contentSecurityPolicy: contentPolicy(),
  strictTransportSecurity: false,
  xFrameOptions: { action: 'deny' },
  referrerPolicy: { policy: 'same-origin' },
  crossOriginEmbedderPolicy: false,
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
