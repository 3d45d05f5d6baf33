import { type Problem, problem } from './definition.ts'
import { strangerShownMax, strangersNamedMax } from './limits.ts'

/**
 * Collects the unknown members of a body: the first hundred by name, the others as a count. A body of a megabyte can
 * have a hundred thousand, and a refusal must not be larger than what it refuses.
 */
export type Strangers = {
  (path: string, fields: () => readonly string[]): Problem[]
  /** Returns the count of all unknown members. */
  met(): number
}

export function countStrangers(): Strangers {
  let met = 0
  const meet = (path: string, fields: () => readonly string[]): Problem[] => {
    met++
    if (met > strangersNamedMax) return []
    return [problem(shortenPath(path), 'unknown_field', `is not a field here; the fields are ${fields().join(', ')}`)]
  }
  return Object.assign(meet, { met: () => met })
}

/** Returns one problem for all members that were not named. */
export function strangersLeft(strangers: Strangers): Problem[] {
  const left = strangers.met() - strangersNamedMax
  if (left <= 0) return []
  const message = `The body has ${left} more ${left === 1 ? 'member that is no field' : 'members that are no fields'} here`
  return [problem('', 'unknown_field', message)]
}

/** A cut surrogate pair becomes U+FFFD. */
const shortenPath = (path: string): string =>
  path.length <= strangerShownMax ? path : `${path.slice(0, strangerShownMax).toWellFormed()}…`
