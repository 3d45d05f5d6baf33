import type { Line } from '#registry/fields/lines.ts'
import type { JsonObject } from '#registry/json.ts'
import { lineTotal } from '#registry/resources/totals.ts'

/** What a line comes to, once it has the numbers for it. */
export function amountOf(line: JsonObject): number | undefined {
  const { quantity, unit_price_minor: price } = line
  if (typeof quantity !== 'number' || !Number.isSafeInteger(price)) return undefined
  return Number(lineTotal(line as Line))
}
