import type { Computed, Definition, Rule } from '#registry/definition.ts'
import { memoize } from '#registry/memoize.ts'

/** The sums of a resource by those who read them: rules, doubts and calculations name theirs, and a write reads no other. */

const namesIn = (judges: readonly (Rule | Computed | undefined)[]): string[] => [
  ...new Set(judges.flatMap((judge) => judge?.sums ?? [])),
]

/** Returns the sums that a write of a record reads. */
export const sumsOfWrites = memoize(({ rules = [], computed }: Definition): readonly string[] =>
  namesIn([...rules, computed]),
)

/** Returns the sums that rules read: they are locked before. */
export const sumsOfRules = memoize(({ rules = [] }: Definition): readonly string[] => namesIn(rules))

/** Returns the sums that the calculated fields of a record follow from. */
export const sumsOfComputed = memoize(({ computed }: Definition): readonly string[] => namesIn([computed]))
