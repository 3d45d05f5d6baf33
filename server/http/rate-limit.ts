import { type Rate, windowSeconds } from '../service/token-rate.ts'

/**
 * What a caller is told of his limit, in the fields of draft-ietf-httpapi-ratelimit-headers (structured fields, RFC
 * 9651): the quota of a window, what is left of it, and in how many seconds it is whole again. A draft may change;
 * only this file would.
 */
export const rateLimitHeaders = ({ limit, remaining, resetSeconds }: Rate): { [name: string]: string } => ({
  'RateLimit-Policy': `"token";q=${limit};w=${windowSeconds}`,
  RateLimit: `"token";r=${remaining};t=${resetSeconds}`,
})
