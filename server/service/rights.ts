import type { Definition } from '#registry/definition.ts'
import { type Action, permission } from '#registry/permissions.ts'
import { Refusal } from '#registry/refusals.ts'
import { type RightsRow, rightsOfAuthor } from '#sql/system/accounts.ts'
import type { Transaction } from '../store/database.ts'
import type { Actor } from './actor.ts'

/** The refusal of an action on a resource, or nothing where it is allowed. */
export type Rights = (definition: Definition, action: Action) => Refusal | undefined

/** What somebody may do this moment. The interface is open without add-ons, and the operator may do everything. */
export async function rightsOf(transaction: Transaction, actor: Actor): Promise<Rights> {
  if (actor.channel === 'command') return () => undefined
  const [row] = await transaction.run<RightsRow>(rightsOfAuthor(actor))
  const { permissions, add_ons } = row ?? { permissions: [], add_ons: [] }
  return ({ name, served }, action) => {
    const needed = permission(name, action)
    if (!permissions.includes(needed)) return lacking(needed)
    if (actor.channel !== 'api') return undefined
    const off = (['api', served?.addOn ?? 'api'] as const).find((one) => !add_ons.includes(one))
    return off && new Refusal('feature_off', { feature: off })
  }
}

const lacking = (needed: string): Refusal =>
  new Refusal('insufficient_scope', { required_scope: needed, headers: scopeChallenge(needed) })

/** RFC 6750 3. */
export const scopeChallenge = (scope: string) => ({
  'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"`,
})
