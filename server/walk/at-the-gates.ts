import { Refusal } from '#registry/refusals.ts'
import type { CallerAsk, CallerRow } from '#sql/system/caller.ts'
import type { Call } from './call.ts'
import { noteLater } from './note-call.ts'
import { orRefusal, orThrow } from './refused.ts'
import { passGates } from './see-caller.ts'
import type { World } from './world.ts'

/** Past the gates, or thrown out; a caller whom we know is noted either way. */
export function atTheGates(world: World, call: Call, ask: CallerAsk, row: CallerRow | undefined): CallerRow {
  call.share.tell(row?.live === true)
  const caller = orRefusal(() => passGates(row))
  if (caller instanceof Refusal && row) noteLater(world, call, ask, row, { outcome: caller, counted: false })
  return orThrow(caller)
}

/** Counts the call against the limit of its token, once, however often its transaction runs. It is neither noted nor kept. */
export function underTheLimit(
  { tokenRates }: World,
  call: Call,
  { companyId }: CallerAsk,
  { token_id }: CallerRow,
): void {
  if (!tokenRates) return
  call.rate ??= tokenRates.count(companyId, token_id)
  const { exceeded, resetSeconds } = call.rate
  if (exceeded) throw new Refusal('too_many_requests', { headers: { 'Retry-After': String(resetSeconds) } })
}
