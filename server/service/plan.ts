import { planIsFull } from '#derive/refused.ts'
import type { Definition } from '#registry/definition.ts'
import { isPlanLimited, type Plan, planLimit } from '#registry/plans.ts'
import type { Refusal } from '#registry/refusals.ts'
import { holdPlan, releaseSlots, slotsUsed, takeSlots } from '#sql/system/quota.ts'
import type { Transaction } from '../store/database.ts'

/**
 * Quota slots of the plan for records that come back, or a refusal. The counter is the row that all creates of a company
 * meet on, so it is taken last and held shortest; where the plan has no limit it is not touched at all.
 */
export async function takeQuotaSlots(
  transaction: Transaction,
  companyId: number,
  definition: Definition,
  slots: number,
): Promise<void> {
  const limit = await planLimitInForce(transaction, companyId, definition)
  if (limit === null) return
  const [taken] = await transaction.run(takeSlots(companyId, definition.name, limit, slots))
  if (!taken) throw await quotaExceeded(transaction, companyId, definition, limit)
}

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

/** Deleting frees quota slots. */
export async function releaseQuotaSlots(
  transaction: Transaction,
  companyId: number,
  definition: Definition,
  slots: number,
): Promise<void> {
  const limit = await planLimitInForce(transaction, companyId, definition)
  if (limit !== null) transaction.send(releaseSlots(companyId, definition.name, slots))
}

/** The limit of the plan, held so that it cannot change before the transaction ends; null where there is none. */
export async function planLimitInForce(
  transaction: Transaction,
  companyId: number,
  definition: Definition,
): Promise<number | null> {
  if (!isPlanLimited(definition.name)) return null
  const [row] = await transaction.run<{ plan: Plan }>(holdPlan(companyId))
  if (!row) throw new Error(`company ${companyId} is gone`)
  return planLimit(row.plan, definition.name)
}
