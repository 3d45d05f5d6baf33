import { type Computed, isIn, type Match } from './definition.ts'
import type { Json, JsonObject } from './json.ts'

/** Calculated fields that are fixed while a record matches: by their names, of the record and the one that it refers to. */
export type FixedFields = {
  match: Match
  /** The reference to the record that they are made from. */
  reference: string
  values: { readonly [field: string]: (record: JsonObject, referred: JsonObject) => Json }
}

/**
 * Returns a calculation that works values out when a record comes to match, or comes to refer to another record. It keeps
 * them while the record stays as it is in this, and gives null outside, and where there is no record referred to.
 */
export function fixedWhile(
  match: Match,
  reference: string,
  values: FixedFields['values'],
): Computed & { fixed: FixedFields } {
  const calculate: Computed = (record, { before, found }) => {
    const isFixed = before !== null && isIn(before, match) && before[reference] === record[reference]
    const referred = found[reference]
    return Object.fromEntries(
      Object.entries(values).map(([field, compute]): [string, Json] => {
        if (!isIn(record, match)) return [field, null]
        if (isFixed) return [field, before[field] ?? null]
        return [field, referred ? compute(record, referred) : null]
      }),
    )
  }
  return Object.assign(calculate, { fixed: { match, reference, values } })
}
