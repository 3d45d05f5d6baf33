import { type RefusalCode, refusals } from '#registry/refusals.ts'
import type { CallShown } from '#sql/system/call-list.ts'

/** Why a call was refused, and what to do about it. */

/** Which check refused the call before it was looked into; null where it came further. */
const gates: { readonly [code in RefusalCode]?: string } = {
  unauthorized: 'token',
  ip_not_allowed: 'address',
  insufficient_scope: 'scope',
  feature_off: 'add-on',
}

export const gateOf = ({ code }: CallShown): string | null => gates[code as RefusalCode] ?? null

export function adviceOf({ code, token_revoked_at }: CallShown): string | null {
  if (code === null) return null
  if (code === 'unauthorized') {
    return token_revoked_at === null
      ? 'The account behind the token is disabled. Enable it, or issue a token from another account.'
      : 'The token was rotated or revoked before this call. Give the integration that made it the active token.'
  }
  return refusals[code as RefusalCode]?.advice ?? null
}
