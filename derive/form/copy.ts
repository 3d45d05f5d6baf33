import { type Action, type Definition, isIn } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { isLookup, statusOf } from './relations.ts'

/** Copies of a record: what a new form begins with, and the actions that write it together with its original. */

/** An action that changes a record and creates its copy, which refers to the record by `copy`. */
export type CopyAction = Action & { copy: string }

/** Returns whether the interface offers to copy a record: no person, and no word of a list. */
export const canBeCopied = (definition: Definition, record: JsonObject): boolean =>
  definition.person !== true && !(definition.person && isIn(record, definition.person)) && !isLookup(definition)

/** Returns the actions with a copy that are open in the state of a record. */
export const copyActionsOf = ({ actions = [] }: Definition, record: JsonObject): CopyAction[] =>
  actions.filter((action): action is CopyAction => action.copy !== undefined && isIn(record, action.from))

/**
 * Returns the values of a copy: those that can be written, without unique values, states and days, and without the
 * references by which copies refer to their originals.
 */
export function copyOf(definition: Definition, record: JsonObject): JsonObject {
  const { fields, actions = [], protection } = definition
  const left = [...actions.flatMap(({ copy }) => copy ?? []), ...Object.keys(protection?.when ?? {})]
  const copied = Object.entries(fields).filter(
    ([name, field]) =>
      !field.readOnly &&
      !field.unique &&
      field.kind !== 'date' &&
      field !== statusOf(definition) &&
      !left.includes(name) &&
      (record[name] ?? null) !== null,
  )
  return Object.fromEntries(copied.map(([name]): [string, Json] => [name, record[name] as Json]))
}
