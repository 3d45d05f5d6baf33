import { planIsFull } from '#derive/refusals.ts'
import type { Definition } from '#registry/definition.ts'
import type { Refusal } from '#registry/refusals.ts'
import { isPlanLimited, planLimit, type SubscriptionPlan } from '#registry/subscription.ts'
import { holdPlan, releaseSlots, slotsUsed, takeSlots } from '#sql/system/quota.ts'
import type { Transaction } from '../store/database.ts'

/**
 * Quota slots of the plan for records that come back, or a refusal. The counter is the row that all creates of a company
 * meet on, so it is taken last and held shortest; where the plan has no limit it is not touched at all.
 */
export async function takeQuotaSlots(
  transaction: Transaction,
  companyId: number,
  returning: readonly { definition: Definition; records: readonly unknown[] }[],
): Promise<void> {
  const counted = returning.filter(({ definition }) => isPlanLimited(definition.name))
  if (counted.length === 0) return
  const plan = await heldPlan(transaction, companyId)
  for (const { definition, records } of counted.toSorted((one, other) =>
    inOrder(one.definition.name, other.definition.name),
  )) {
    const limit = planLimit(plan, definition.name)
    if (limit === null) continue
    const [taken] = await transaction.run(takeSlots(companyId, definition.name, limit, records.length))
    if (!taken) throw await quotaExceeded(transaction, companyId, definition, limit)
  }
}

/** The order in which counts are locked. */
const inOrder = (one: string, other: string): number => (one < other ? -1 : 1)

/** The refusal of a record for which the plan has no slot, with what is used this moment. */
async function quotaExceeded(
  transaction: Transaction,
  companyId: number,
  { name }: Definition,
  limit: number,
): Promise<Refusal> {
  const [row] = await transaction.run<{ used: number }>(slotsUsed(companyId, name))
  return planIsFull(name, limit, row?.used ?? 0)
}

/** Deleting frees quota slots: how many of each resource, under the plan, which is held. */
export function releaseQuotaSlots(
  transaction: Transaction,
  companyId: number,
  plan: SubscriptionPlan,
  slots: ReadonlyMap<string, number>,
): void {
  for (const [records, count] of [...slots].toSorted(([one], [other]) => inOrder(one, other)))
    if (isPlanLimited(records) && planLimit(plan, records) !== null)
      transaction.send(releaseSlots(companyId, records, count))
}

/** The limit of the plan, held so that it cannot change before the transaction ends; null where there is none. */
export async function planLimitInForce(
  transaction: Transaction,
  companyId: number,
  { name }: Definition,
): Promise<number | null> {
  return isPlanLimited(name) ? planLimit(await heldPlan(transaction, companyId), name) : null
}

async function heldPlan(transaction: Transaction, companyId: number): Promise<SubscriptionPlan> {
  const [row] = await transaction.run<{ plan: SubscriptionPlan }>(holdPlan(companyId))
  if (!row) throw new Error(`company ${companyId} is gone`)
  return row.plan
}
