import { planIsFull } from '#derive/refusals.ts'
import type { Definition } from '#registry/definition.ts'
import type { Refusal } from '#registry/refusals.ts'
import { isPlanLimited, planLimit, type SubscriptionPlan } from '#registry/subscription.ts'
import { holdPlan, releaseSlots, slotsUsed, takeSlots } from '#sql/system/quota.ts'
import type { Transaction } from '../store/database.ts'

/**
 * Takes quota slots for restored records. Throws a refusal if the plan has too few. All creates of a company lock its
 * counter, so it is taken last and held shortest. It is not touched if the plan has no limit.
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

/** Compares resources by the order in which their counts are locked. */
const inOrder = (one: string, other: string): number => (one < other ? -1 : 1)

/** Returns the refusal of a record for which the plan has no slot, with the current use. */
async function quotaExceeded(
  transaction: Transaction,
  companyId: number,
  { name }: Definition,
  limit: number,
): Promise<Refusal> {
  const [row] = await transaction.run<{ used: number }>(slotsUsed(companyId, name))
  return planIsFull(name, limit, row?.used ?? 0)
}

/** Frees the quota slots of deleted records, by resource. The caller holds the lock of the plan. */
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

/** Returns the limit of the plan, locked until the transaction ends; null if there is none. */
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
