import type { Line } from '#registry/fields/lines.ts'

/** Amounts in plain fractions, with which those of the service are compared. */

/** A number as a fraction, by the decimals that it is written with. */
type Fraction = readonly [dividend: bigint, divisor: bigint]
export function fraction(value: number): Fraction {
  const [whole = '', decimals = ''] = value.toFixed(10).split('.')
  return [BigInt(whole + decimals), 10n ** 10n]
}
export const times = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d]
export const percentOf = (amount: bigint, share: number): Fraction => times([amount, 100n], fraction(share))
/** Rounds half up by long division: the quotient, and one more if twice the remainder is the divisor or more. */
export const round = ([dividend, divisor]: Fraction): bigint =>
  dividend / divisor + (2n * (dividend % divisor) >= divisor ? 1n : 0n)
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)

export const subtotalOf = (lines: readonly Line[]): bigint =>
  sum(lines.map((line) => round(times(fraction(line.quantity), [BigInt(line.unit_price_minor), 1n]))))
