import type { Definition, ProposalContext } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { createBlankRecord } from '../input.ts'

/** Returns the values of a new form: the initial ones, and those that the definition proposes for the fields that are shown. */
export function beginRecord(definition: Definition, context: ProposalContext): JsonObject {
  const proposed = Object.entries(definition.proposals?.new?.of({}, context) ?? {})
  const shown = proposed.filter(([name]) => Object.hasOwn(definition.fields, name))
  return { ...createBlankRecord(definition), ...Object.fromEntries(shown) }
}
