import type { Match, Problem, Rule } from '../definition.ts'

/** Nothing that was promised to anybody. */
export const drafts: Match = { status: ['DRAFT'] }

/** The rules that more than one resource keeps. */

/** The day in `later` is not before the day in `earlier`. */
export const inOrder =
  (earlier: string, later: string): Rule =>
  (after): Problem | undefined => {
    const [from, to] = [after[earlier], after[later]]
    if (typeof from !== 'string' || typeof to !== 'string' || from <= to) return undefined
    return { field: later, code: 'date_order', message: `must not be before ${earlier} (${from})` }
  }
