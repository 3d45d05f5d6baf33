import { type Match, type ProblemCode, type ProposalContext, problem, type Rule } from '../definition.ts'
import type { JsonObject } from '../json.ts'

/** Matches records that were not promised to anybody yet. */
export const drafts: Match = { status: ['DRAFT'] }

/** Rules of more than one resource. */

/** Checks that the day in `later` is not before the day in `earlier`. */
export const inOrder =
  (earlier: string, later: string): Rule =>
  ({ after }) => {
    const [from, to] = [after[earlier], after[later]]
    if (typeof from !== 'string' || typeof to !== 'string' || from <= to) return undefined
    return problem(later, 'date_order', `must not be before ${earlier} (${from})`)
  }

/** Proposes the tax of the company. */
export const taxOfCompany = (_: JsonObject, { company: { tax_pct } }: ProposalContext): JsonObject => ({ tax_pct })

/** Returns a rule about facts that may be old: it judges only writes that change one of the fields. */
export const whenChanged =
  <Code extends ProblemCode>(fields: readonly string[], rule: Rule<Code>): Rule<Code> =>
  (input) =>
    fields.some((field) => input.isChanged(field)) ? rule(input) : undefined
