import { planIsFull } from '#derive/refusals.ts'
import { isPlanLimited, planLimit, type SubscriptionPlan } from '#registry/subscription.ts'
import { holdPlan, releaseSlots, slotsUsed, takeSlots } from '#sql/system/quota.ts'
import type { WriteContext } from './actor.ts'

/** Numbers of records by resource. */
type Counts = ReadonlyMap<string, number>

/**
 * Takes quota slots for restored records. Throws a refusal if the plan has too few. All creates of a company lock its
 * counter, so it is taken last and held shortest. It is not touched if the plan has no limit.
 */
export async function takeQuotaSlots(context: WriteContext, counts: Counts): Promise<void> {
  const { transaction, actor } = context
  const { companyId } = actor
  const limited = limitedOf(counts)
  if (limited.length === 0) return
  const plan = await heldPlan(context)
  for (const [records, count] of limited) {
    const limit = planLimit(plan, records)
    if (limit === null) continue
    const [taken] = await transaction.run(takeSlots(companyId, records, limit, count))
    if (taken) continue
    const [row] = await transaction.run<{ used: number }>(slotsUsed(companyId, records))
    throw planIsFull(records, limit, row?.used ?? 0)
  }
}

/** Frees the quota slots of deleted records. The caller holds the lock of the plan. */
export function releaseQuotaSlots({ transaction, actor }: WriteContext, plan: SubscriptionPlan, counts: Counts): void {
  for (const [records, count] of limitedOf(counts))
    if (planLimit(plan, records) !== null) transaction.send(releaseSlots(actor.companyId, records, count))
}

/** Returns the counts that a plan may limit, in the order in which they are locked. */
const limitedOf = (counts: Counts): [string, number][] =>
  [...counts].filter(([records]) => isPlanLimited(records)).toSorted(([one], [other]) => (one < other ? -1 : 1))

/** Returns the plan, locked until the transaction ends. */
export async function heldPlan({ transaction, actor: { companyId } }: WriteContext): Promise<SubscriptionPlan> {
  const [row] = await transaction.run<{ plan: SubscriptionPlan }>(holdPlan(companyId))
  if (!row) throw new Error(`company ${companyId} is gone`)
  return row.plan
}
