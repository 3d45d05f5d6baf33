import { percent } from '../common.ts'
import { type Problem, problem, type RuleInput, type WriteInput } from '../definition.ts'
import type { Field } from '../fields/index.ts'
import type { JsonObject } from '../json.ts'
import { moneyMax } from '../limits.ts'
import { totals } from './totals.ts'

/** The fields of a document with priced lines, with their totals and the rule on them. */
export const pricedFields = {
  lines: { kind: 'lines', initial: [], required: true, about: 'What is priced, line by line, in order.' },
  discount_pct: { ...percent, example: 2.5, about: 'Discount on the sum of the lines, in percent.' },
  tax_pct: { ...percent, example: 20, about: 'Tax after the discount, in percent.' },
  subtotal_minor: { kind: 'money', readOnly: true, initial: 0, about: 'Sum of the lines, in minor units.' },
  discount_minor: {
    kind: 'money',
    initial: 0,
    required: true,
    follows: 'discount_pct',
    example: 5000,
    about:
      'The discount, in minor units: an amount of its own, at most the sum of the lines, or what follows from `discount_pct` while that is not null.',
  },
  tax_minor: { kind: 'money', readOnly: true, initial: 0, about: 'The tax, in minor units.' },
} as const satisfies { [name: string]: Field }

/** Computes the totals, at every write. A percentage that is cleared takes the discount along. */
export function pricedTotals(record: JsonObject, { before, sent }: WriteInput): JsonObject {
  const isCleared = record.discount_pct === null && (before?.discount_pct ?? null) !== null
  const amount = sent.discount_minor ?? (isCleared ? 0 : record.discount_minor) ?? 0
  const sums = totals({ ...record, discount_minor: amount })
  return { ...sums, discount_minor: sent.discount_minor ?? sums.discount_minor }
}

/** Refuses sums beyond the largest amount that can be stored. */
export function checkPayable({ after }: RuleInput): Problem | undefined {
  if ((after.total_minor as number) <= moneyMax && (after.subtotal_minor as number) <= moneyMax) return undefined
  return { field: 'lines', code: 'out_of_range', message: `must add up to at most ${moneyMax} minor units` }
}

/** Refuses a discount that contradicts its percentage, or is above the sum of the lines. */
export function checkDiscount({ after, isRefused }: RuleInput): Problem | undefined {
  if (isRefused('lines') || isRefused('discount_pct')) return undefined
  const { subtotal_minor, discount_minor } = totals(after)
  if (after.discount_minor !== discount_minor)
    return problem('discount_minor', 'read_only', 'follows from discount_pct; send null there to give an amount')
  if (discount_minor <= subtotal_minor) return undefined
  return problem('discount_minor', 'out_of_range', 'must be at most the sum of the lines')
}
