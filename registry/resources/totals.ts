import { percent } from '../common.ts'
import { type Line, quantityPlaces } from '../fields/lines.ts'
import type { Json } from '../json.ts'
import { moneyMax } from '../limits.ts'

export type Totals = { subtotal_minor: number; discount_minor: number; tax_minor: number; total_minor: number }

/** A record with priced lines. The discount is a share of the lines or, without a share, an amount. */
export type Priced = { lines?: Json; discount_pct?: Json; discount_minor?: Json; tax_pct?: Json }

/**
 * Computes the totals of an estimate in minor units. Each line, the discount and the tax are rounded once, half up.
 * The arithmetic is exact (bigint), so every caller gets the same total.
 */
export function totals({ lines = [], discount_pct = null, discount_minor = 0, tax_pct = 0 }: Priced): Totals {
  const subtotal = (lines as Line[]).reduce((sum, line) => sum + lineTotal(line), 0n)
  const discount = discount_pct === null ? BigInt(Number(discount_minor)) : percentOf(subtotal, discount_pct)
  const tax = percentOf(subtotal - discount, tax_pct)
  return {
    subtotal_minor: Number(subtotal),
    discount_minor: Number(discount),
    tax_minor: Number(tax),
    total_minor: Number(subtotal - discount + tax),
  }
}

/** Returns what is to be paid before tax, in minor units: the lines less the discount. */
export function netOf(priced: Priced): number {
  const { subtotal_minor, discount_minor } = totals(priced)
  return subtotal_minor - discount_minor
}

export const lineTotal = ({ quantity, unit_price_minor }: Line): bigint => amountOf(quantity, unit_price_minor)

/** Returns what a quantity of at most four decimals is worth in minor units, rounded once, half up. */
export function amountOf(quantity: number, unitMinor: number): bigint {
  return divideRounded(scaleNumber(quantity, quantityPlaces) * BigInt(unitMinor), 10n ** BigInt(quantityPlaces))
}

/** Returns an amount as it is stored; null beyond the largest that can be. */
export const storableAmount = (amount: bigint): number | null => (amount <= moneyMax ? Number(amount) : null)

/** Returns a share of an amount in percent, rounded half up. */
export function percentOf(amount: bigint, share: Json): bigint {
  const hundredfold = 10n ** BigInt(percent.places + 2)
  return divideRounded(amount * scaleNumber(Number(share), percent.places), hundredfold)
}

/** Returns a number with at most `places` decimals in units of its last place. */
const scaleNumber = (value: number, places: number): bigint => BigInt(Math.round(value * 10 ** places))

/** Divides and rounds half up. Nothing here is negative. */
export const divideRounded = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor / 2n) / divisor
