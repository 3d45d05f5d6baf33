import { dayIn } from '#derive/company-day.ts'
import type { Json } from '#registry/json.ts'
import { orRefusal, Refusal } from '#registry/refusals.ts'
import type { CallerRow } from '#sql/system/caller.ts'
import type { Actor } from '../records/actor.ts'
import type { App } from './app.ts'
import { authorize, type TokenAsk } from './authorize.ts'
import type { Call } from './call.ts'
import { logCallLater } from './call-log.ts'
import { keepDetails } from './keep-details.ts'

/** A call whose token is read and not verified yet. `body` is its body, if that could be parsed. */
export type TokenCall = { app: App; call: Call; ask: TokenAsk; body?: Json | undefined }

/** A call of a known token, which may lack what the call needs. */
export type KnownCall = TokenCall & { caller: CallerRow }

declare const isAuthorized: unique symbol
/** A call whose caller is authorized. Only `authorizeCall` returns one: what takes it cannot be reached without the check. */
export type AdmittedCall = KnownCall & { readonly [isAuthorized]: true }

/** Returns the authorized call. Throws the first refusal. */
export function authorizeCall({ app, call, ask, body }: TokenCall, row: CallerRow | undefined): AdmittedCall {
  call.share.report(row?.live === true)
  return { app, call, ask, body, caller: authorize(row, ask) } as AdmittedCall
}

/** Returns the authorized call. Throws the first refusal, which is logged if the caller is known. */
export function requireAuthorized(tokenCall: TokenCall, row: CallerRow | undefined): AdmittedCall {
  const admitted = orRefusal(() => authorizeCall(tokenCall, row))
  if (!(admitted instanceof Refusal)) return admitted
  if (row) {
    const known = { ...tokenCall, caller: row }
    logCallLater(known, admitted, false)
    keepDetails(known, admitted)
  }
  throw admitted
}

/**
 * Counts the call against the limit of its token once, however often its transaction runs. A call over the limit is
 * neither logged nor stored.
 */
export function enforceRateLimit({ app: { tokenRates }, call, ask, caller }: AdmittedCall): void {
  if (!tokenRates) return
  call.rate ??= tokenRates.count(ask.companyId, caller.token_id)
  const { exceeded, resetSeconds } = call.rate
  if (exceeded) throw new Refusal('too_many_requests', { headers: { 'Retry-After': String(resetSeconds) } })
}

/** Returns the actor of a write. */
export function actorOf(
  { app: { clock }, ask: { companyId }, call: { requestId, agent }, caller }: AdmittedCall,
  { writeId, key: idempotencyKey }: { writeId: string; key: string | undefined },
): Actor {
  const { account_id: accountId, token_id: tokenId, tag_key: tagKey, lacks_rights, lacks_views, time_zone } = caller
  return {
    ...{ companyId, accountId, tokenId, channel: 'api', writeId, requestId, idempotencyKey, tagKey },
    previewId: agent?.preview,
    today: () => dayIn(time_zone as string, clock.now()),
    lacksRights: [...(lacks_rights ?? []), ...(lacks_views ?? [])],
  }
}
