import { type Match, type ProposalContext, problem, type Rule } from '../definition.ts'
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

/** Checks whether the last day that `field` names is over. */
export const isPast =
  (field: string) =>
  (record: JsonObject, today: string): boolean =>
    typeof record[field] === 'string' && record[field] < today

/** Proposes the tax of the company. */
export const taxOfCompany = (_: JsonObject, { company: { tax_pct } }: ProposalContext): JsonObject => ({ tax_pct })
