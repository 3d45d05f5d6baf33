import { type Problem, problem } from './definition.ts'
import { strangerShownMax, strangersNamedMax } from './limits.ts'

export type Strangers = ReturnType<typeof countStrangers>

/**
 * Collects the unknown members of a body: the first hundred by name, the others as a count. A body of a megabyte can
 * have a hundred thousand, and a refusal must not be larger than what it refuses.
 */
export function countStrangers() {
  let met = 0
  return {
    /** Returns the problem of an unknown member, if it is one of those that are named. */
    meet(path: string, message: () => string): Problem[] {
      met++
      if (met > strangersNamedMax) return []
      return [problem(shortenPath(path), 'unknown_field', message())]
    },
    /** Returns one problem for all members that were not named. */
    left(): Problem[] {
      const left = met - strangersNamedMax
      if (left <= 0) return []
      const members = left === 1 ? 'member that is no field' : 'members that are no fields'
      return [problem('', 'unknown_field', `The body has ${left} more ${members} here`)]
    },
  }
}

/** Returns the message for an unknown member of an object with these fields. */
export const noField = (fields: readonly string[]): string => `is not a field here; the fields are ${fields.join(', ')}`

/** A cut surrogate pair becomes U+FFFD. */
const shortenPath = (path: string): string =>
  path.length <= strangerShownMax ? path : `${path.slice(0, strangerShownMax).toWellFormed()}…`
