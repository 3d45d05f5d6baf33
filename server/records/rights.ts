import { findApproval } from '#derive/approval.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { type Action, permission } from '#registry/permissions.ts'
import { Refusal } from '#registry/refusals.ts'
import { type RightsRow, rightsOfAuthor } from '#sql/system/accounts.ts'
import type { Transaction } from '../store/database.ts'
import type { Actor } from './actor.ts'

/** Returns the refusal of an action on a resource; undefined if it is allowed. */
export type Rights = (definition: Definition, action: Action) => Refusal | undefined

/** Reads the current rights of an actor. The console needs no add-ons, and the operator may do everything. */
export async function rightsOf(transaction: Transaction, actor: Actor): Promise<Rights> {
  if (actor.channel === 'command') return () => undefined
  const [row] = await transaction.run<RightsRow>(rightsOfAuthor(actor))
  const { permissions, add_ons } = row ?? { permissions: [], add_ons: [] }
  return ({ name, served }, action) => {
    const needed = permission(name, action)
    if (!permissions.includes(needed)) return lackingRefusal(needed)
    if (actor.channel !== 'api') return undefined
    const off = (['api', served?.addOn ?? 'api'] as const).find((one) => !add_ons.includes(one))
    return off && new Refusal('feature_off', { feature: off })
  }
}

/** Throws if the actor lacks one of these permissions of fields. */
export function needFieldRights({ lacksRights }: Pick<Actor, 'lacksRights'>, needed: readonly string[]): void {
  const missing = needed.find((right) => lacksRights.includes(right))
  if (missing !== undefined) throw lacksRight(missing)
}

/** Returns the refusal of a named field whose permission the account lacks. */
export const lacksRight = (right: string): Refusal =>
  lackingRefusal(
    right,
    `A field that is named needs ${right}, which the account does not hold. Leave the field out, or ask somebody who manages the accounts of the company.`,
  )

/**
 * Returns the refusal of a step that approves a record or takes an approval back; undefined if the actor may take it.
 */
export function refuseApproval(
  { lacksRights }: Pick<Actor, 'lacksRights'>,
  definition: Definition,
  before: JsonObject | null,
  after: JsonObject,
): Refusal | undefined {
  const approval = lacksRights.length > 0 ? findApproval(definition, before, after) : undefined
  if (!approval || !lacksRights.includes(approval.right)) return undefined
  const { field, value, right } = approval
  return lackingRefusal(
    right,
    `To set ${field} to ${value}, or from it to something else, needs ${right}, which the account does not hold.`,
  )
}

/** Returns the refusal of a caller without a permission (RFC 6750 3). */
export const lackingRefusal = (needed: string, detail?: string): Refusal =>
  new Refusal('insufficient_scope', {
    ...(detail === undefined ? {} : { detail }),
    required_scope: needed,
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${needed}"` },
  })
