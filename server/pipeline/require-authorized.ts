import type { Json } from '#registry/json.ts'
import { orRefusal, orThrow, Refusal } from '#registry/refusals.ts'
import type { CallerAsk, CallerRow } from '#sql/system/caller.ts'
import type { Actor } from '../records/actor.ts'
import { type Caller, tokenCaller } from '../writes/run-write.ts'
import type { App } from './app.ts'
import { authorize, type TokenAsk } from './authorize.ts'
import type { Call } from './call.ts'
import { logCallLater } from './call-log.ts'
import { keepDetails } from './keep-details.ts'

/** Returns the authorized caller, or throws a refusal. A known caller is logged either way. */
export function requireAuthorized(
  app: App,
  call: Call,
  ask: TokenAsk,
  row: CallerRow | undefined,
  sent?: Json,
): CallerRow {
  call.share.report(row?.live === true)
  const caller = orRefusal(() => authorize(row, ask))
  if (caller instanceof Refusal && row) {
    logCallLater(app, call, ask, row, { outcome: caller, counted: false })
    keepDetails(app, call, ask, row, { outcome: caller, sent })
  }
  return orThrow(caller)
}

/**
 * Counts the call against the limit of its token once, however often its transaction runs. A call over the limit is
 * neither logged nor stored.
 */
export function enforceRateLimit(
  { tokenRates }: App,
  call: Call,
  { companyId }: CallerAsk,
  { token_id }: CallerRow,
): void {
  if (!tokenRates) return
  call.rate ??= tokenRates.count(companyId, token_id)
  const { exceeded, resetSeconds } = call.rate
  if (exceeded) throw new Refusal('too_many_requests', { headers: { 'Retry-After': String(resetSeconds) } })
}

/** Returns the caller of a write, which is counted once its transaction has begun. */
export const callerOf = (app: App, call: Call, ask: TokenAsk, sent?: Json): Caller<CallerRow> =>
  tokenCaller(ask, call.share, (row) => {
    const caller = requireAuthorized(app, call, ask, row, sent)
    enforceRateLimit(app, call, ask, caller)
    return caller
  })

export const actorOf = (
  { companyId }: CallerAsk,
  { requestId, agent }: Call,
  { account_id: accountId, token_id: tokenId, tag_key: tagKey, lacks_rights, lacks_views }: CallerRow,
  { writeId, key: idempotencyKey }: { writeId: string; key: string | undefined },
): Actor => ({
  companyId,
  accountId,
  tokenId,
  channel: 'api',
  writeId,
  requestId,
  idempotencyKey,
  previewId: agent?.preview,
  tagKey,
  lacksRights: [...(lacks_rights ?? []), ...(lacks_views ?? [])],
})
