import type { DataRoute } from '#derive/routes.ts'
import { rightsOfQuery } from '#derive/visible.ts'
import type { Json } from '#registry/json.ts'
import { Refusal } from '#registry/refusals.ts'
import type { CallerAsk, CallerRow } from '#sql/system/caller.ts'
import type { Claim } from '../fair/shares.ts'
import { authorizationsIn, readAuthorization } from '../protocol/headers.ts'
import { lackingRefusal, lacksRight } from '../records/rights.ts'
import { claimOfToken, readTokenText } from '../service/token-text.ts'
import type { Call } from './call.ts'

/** The needs of a call: those that the caller's statement checks, and the permissions of the fields it names. */
export type TokenAsk = CallerAsk & { rights: readonly string[] }

/** Reads the token of a call, before any statement. No other header is read before the caller is known. */
export function readToken({
  rawHeaders,
  route,
  peer,
  query,
}: Pick<Call, 'rawHeaders' | 'route' | 'peer' | 'query'>): TokenAsk {
  const shown = /^bearer +(\S.*)$/i.exec(readAuthorization(rawHeaders) ?? '')?.[1]
  if (shown === undefined) throw new Refusal('unauthorized', { headers: challenge })
  const token = readTokenText(shown.trimEnd())
  if (!token) throw createUnauthorized()
  return {
    companyId: token.companyId,
    tokenHash: token.hash,
    scopes: route.scopes.join(),
    addOns: route.addOn,
    peer: ipv4Of(peer),
    rights: rightsOfQuery(route.definition, query),
  }
}

/** Adds the needs of the body. */
export function askedOf(ask: TokenAsk, route: DataRoute, body: Json): TokenAsk {
  const needs = route.needs?.(body)
  if (!needs) return ask
  const [scopes, addOns] = [new Set([...route.scopes, ...needs.scopes]), new Set([route.addOn, ...needs.addOns])]
  return { ...ask, scopes: [...scopes].join(), addOns: [...addOns].join(), rights: [...ask.rights, ...needs.rights] }
}

/** Returns the claim of the call's token. It is read before anything else, and not verified; see `Shares`. */
export function claimOf(rawHeaders: readonly string[]): Claim | undefined {
  const [authorization] = authorizationsIn(rawHeaders)
  return authorization === undefined ? undefined : claimOfToken(authorization)
}

/**
 * Checks token, address, scope, rights of fields and add-on, in this order. Throws the first refusal. Spec,
 * Authentication; Decisions, Errors.
 */
export function authorize(caller: CallerRow | undefined, { rights }: Pick<TokenAsk, 'rights'>): CallerRow {
  if (!caller?.live) throw createUnauthorized()
  if (!caller.address_allowed) throw new Refusal('ip_not_allowed')
  if (caller.lacks_scope !== null) throw lackingRefusal(caller.lacks_scope)
  const lacking = rights.find((right) => caller.lacks_rights?.includes(right))
  if (lacking !== undefined) throw lacksRight(lacking)
  if (caller.feature_off !== null) throw new Refusal('feature_off', { feature: caller.feature_off })
  return caller
}

/** Returns the same refusal for a token that is misspelt, unknown or revoked: no oracle. Spec, Authentication 8. */
const createUnauthorized = (): Refusal => new Refusal('unauthorized', { headers: invalidToken })

/** RFC 6750 3: a call without a token gets no error code. */
const challenge = { 'WWW-Authenticate': 'Bearer' } as const
const invalidToken = { 'WWW-Authenticate': 'Bearer error="invalid_token"' } as const

/**
 * Returns the peer as a dotted quad. An IPv6 peer is null, and so matches no entry of an allowlist. Decisions, Tokens.
 */
export function ipv4Of(peer: string | undefined): string | null {
  const address = peer?.toLowerCase().startsWith('::ffff:') ? peer.slice('::ffff:'.length) : peer
  return address !== undefined && /^\d{1,3}(\.\d{1,3}){3}$/.test(address) ? address : null
}
