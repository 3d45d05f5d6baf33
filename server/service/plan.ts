import { givePlaceBack, holdPlan, placesUsed, takePlace } from '#derive/queries/metering.ts'
import type { Definition } from '#registry/definition.ts'
import { type Plan, planLimit } from '#registry/plans.ts'
import { Refusal } from '#registry/refusals.ts'
import type { Transaction } from '../store/database.ts'

/**
 * A place of the plan for one more record, or a refusal. The counter is the row that all creates of a company meet on,
 * so it is taken last and held shortest; where the plan has no limit it is not touched at all.
 */
export async function takePlanPlace(
  transaction: Transaction,
  companyId: number,
  definition: Definition,
  limit: number,
): Promise<void> {
  const [taken] = await transaction.run<{ used: number }>(takePlace(companyId, definition.name, limit))
  if (taken) return
  const [row] = await transaction.run<{ used: number }>(placesUsed(companyId, definition.name))
  const used = row?.used ?? 0
  throw new Refusal('plan_limit_reached', {
    detail: `The plan holds ${limit} ${definition.name} and ${used} are in use. Delete some, or move to a larger plan.`,
    limit,
    used,
  })
}

/** Deleting frees places. */
export async function freePlanPlaces(
  transaction: Transaction,
  companyId: number,
  definition: Definition,
  places: number,
): Promise<void> {
  const limit = await planLimitInForce(transaction, companyId, definition)
  if (limit !== null) await transaction.run(givePlaceBack(companyId, definition.name, places))
}

/** The limit of the plan, held so that it cannot change before the transaction ends; null where there is none. */
export async function planLimitInForce(
  transaction: Transaction,
  companyId: number,
  definition: Definition,
): Promise<number | null> {
  if (!definition.planLimited) return null
  const [row] = await transaction.run<{ plan: Plan }>(holdPlan(companyId))
  if (!row) throw new Error(`company ${companyId} is gone`)
  return planLimit(row.plan, definition.name)
}
