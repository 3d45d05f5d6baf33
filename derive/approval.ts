import type { Definition } from '#registry/definition.ts'
import type { ChoiceField } from '#registry/fields/choice.ts'
import { choiceOf } from '#registry/fields/index.ts'
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
  { name: records, fields }: Definition,
  before: JsonObject | null,
  after: JsonObject,
): { field: string; value: string; right: string } | undefined {
  for (const [name, field] of Object.entries(fields)) {
    const choice = choiceOf(field)
    if (choice && isApproval(choice, before?.[name] ?? null, after[name] ?? null))
      return { field: name, value: choice.approval as string, right: permission(records, 'APPROVE') }
  }
  return undefined
}
