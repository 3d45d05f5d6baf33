import { percent } from '../common.ts'
import { type Line, quantityPlaces } from '../fields/lines.ts'
import type { Json } from '../json.ts'

export type Totals = { subtotal_minor: number; discount_minor: number; tax_minor: number; total_minor: number }

/**
 * Computes the totals of an estimate in minor units. Each line, the discount and the tax are rounded once, half up.
 * The arithmetic is exact (bigint), so every caller gets the same total.
 */
export function totals(lines: readonly Line[], discountPct: Json | undefined, taxPct: Json | undefined): Totals {
  const subtotal = lines.reduce((sum, line) => sum + lineTotal(line), 0n)
  const discount = percentOf(subtotal, discountPct)
  const tax = percentOf(subtotal - discount, taxPct)
  return {
    subtotal_minor: Number(subtotal),
    discount_minor: Number(discount),
    tax_minor: Number(tax),
    total_minor: Number(subtotal - discount + tax),
  }
}

export function lineTotal({ quantity, unit_price_minor }: Line): bigint {
  return divideRounded(scaleNumber(quantity, quantityPlaces) * BigInt(unit_price_minor), 10n ** BigInt(quantityPlaces))
}

function percentOf(amount: bigint, share: Json | undefined): bigint {
  const hundredfold = 10n ** BigInt(percent.places + 2)
  return divideRounded(amount * scaleNumber(Number(share ?? 0), percent.places), hundredfold)
}

/** Returns a number with at most `places` decimals in units of its last place. */
const scaleNumber = (value: number, places: number): bigint => BigInt(Math.round(value * 10 ** places))

/** Divides and rounds half up. Nothing here is negative. */
const divideRounded = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor / 2n) / divisor
