import type { Line } from '#registry/fields/lines.ts'
import type { JsonObject } from '#registry/json.ts'
import { divideRounded, netOf, type Priced, percentOf, totals } from '#registry/resources/totals.ts'

/**
 * Parts of what was offered, as they are billed one after another. Amounts are before tax and in minor units: tax that is
 * rounded for each part may differ by a unit from that of the whole. Decisions, States.
 */

/** A share in percent, an amount, some of the lines, all that is left, or the offer as it is. */
export type Part =
  | { by: 'percent'; percent: number }
  | { by: 'amount'; amount: number }
  | { by: 'lines'; lines: readonly Line[] }
  | { by: 'rest' }
  | { by: 'all' }

/** What is left of an offer; all of it where it is not known how much was billed. */
export const leftOf = (offer: Priced, billed = 0): number => netOf(offer) - billed

/** Returns the ways to bill a part of an offer, the usual one first. None if nothing is left. */
export function waysToBill(offer: Priced, billed = 0): Part['by'][] {
  if (leftOf(offer, billed) <= 0) return []
  return ['percent', 'amount', 'lines', billed === 0 ? 'all' : 'rest']
}

/**
 * Returns the priced fields of a record that bills a part. A part that is no list of lines is one line with this
 * description. Shares are rounded once, half up; a discount in money is divided by the share of the lines.
 */
export function valuesOfPart(offer: Priced, part: Part, billed: number, description: string): JsonObject {
  const { lines = [], discount_pct = null, discount_minor = 0 } = offer
  const single = (unit_price_minor: number): JsonObject => ({
    lines: [{ description, quantity: 1, unit: null, unit_price_minor }],
    discount_pct: null,
    discount_minor: 0,
  })
  switch (part.by) {
    case 'percent':
      return single(Number(percentOf(BigInt(netOf(offer)), part.percent)))
    case 'amount':
      return single(part.amount)
    case 'rest':
      return single(leftOf(offer, billed))
    case 'all':
      return { lines, discount_pct, discount_minor }
    case 'lines': {
      const some = [...part.lines]
      const own = BigInt(totals({ lines: some }).subtotal_minor)
      const whole = BigInt(totals({ lines }).subtotal_minor)
      const share = whole === 0n ? 0n : divideRounded(BigInt(Number(discount_minor)) * own, whole)
      const { discount_minor: discount } = totals({ lines: some, discount_pct, discount_minor: Number(share) })
      return { lines: some, discount_pct, discount_minor: discount }
    }
  }
}
