import type { Definition } from '#registry/definition.ts'
import type { ChoiceField } from '#registry/fields/choice.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { permission } from '#registry/permissions.ts'

/**
 * True if a step from one value to another approves a record, or withdraws an approval. A new record comes from null.
 * Decisions, Field rights.
 */
export const isApproval = ({ approval }: Pick<ChoiceField, 'approval'>, from: Json, to: Json): boolean =>
  approval !== undefined && from !== to && (from === approval || to === approval)

/** Returns the field whose step from the record before to the record after is an approval, and what the step needs. */
export function findApproval(
  { name, fields }: Definition,
  before: JsonObject | null,
  after: JsonObject,
): { field: string; value: string; right: string } | undefined {
  for (const [field, kind] of Object.entries(fields))
    if (kind.kind === 'choice' && isApproval(kind, before?.[field] ?? null, after[field] ?? null))
      return { field, value: kind.approval as string, right: permission(name, 'APPROVE') }
  return undefined
}
