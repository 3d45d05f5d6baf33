import { percent } from '../common.ts'
import type { Problem, RuleInput } from '../definition.ts'
import type { Field } from '../fields/index.ts'
import type { Line } from '../fields/lines.ts'
import type { JsonObject } from '../json.ts'
import { moneyMax } from '../limits.ts'
import { totals } from './totals.ts'

/** The fields of a document with priced lines, with their totals and the rule on them. */
export const pricedFields = {
  lines: { kind: 'lines', initial: [], required: true, about: 'What is priced, line by line, in order.' },
  discount_pct: { ...percent, example: 2.5, about: 'Discount on the sum of the lines, in percent.' },
  tax_pct: { ...percent, example: 20, about: 'Tax after the discount, in percent.' },
  subtotal_minor: { kind: 'money', readOnly: true, initial: 0, about: 'Sum of the lines, in minor units.' },
  discount_minor: { kind: 'money', readOnly: true, initial: 0, about: 'The discount, in minor units.' },
  tax_minor: { kind: 'money', readOnly: true, initial: 0, about: 'The tax, in minor units.' },
} as const satisfies { [name: string]: Field }

/** Computes the totals, at every write. */
export const pricedTotals = (record: JsonObject): JsonObject => ({
  ...totals(record.lines as Line[], record.discount_pct, record.tax_pct),
})

/** Refuses sums beyond the largest amount that can be stored. */
export function checkPayable({ after }: RuleInput): Problem | undefined {
  if ((after.total_minor as number) <= moneyMax && (after.subtotal_minor as number) <= moneyMax) return undefined
  return { field: 'lines', code: 'out_of_range', message: `must add up to at most ${moneyMax} minor units` }
}
