import { unitsOf } from '#registry/fields/numeral.ts'
import { minorDigits } from '#registry/iso-codes.ts'
import { memoize } from '#registry/memoize.ts'

/** Numbers for people, in the notation of a locale (BCP 47). */

export const formatNumber = (value: number, locale: string): string =>
  formatOf(Intl.NumberFormat, locale, 'number').format(value)

/** Formats a share in percent: 8.875 as “8.875%”. */
export const formatPercent = (percent: number, locale: string): string =>
  formatOf(Intl.NumberFormat, locale, 'percent').format(percent / 100)

/** Formats an amount of minor units of a currency (ISO 4217), exact at any size. */
export const formatMoney = (minor: number, currency: string, locale: string): string =>
  moneyFormatOf(Intl.NumberFormat, locale, currency).format(unitsOf(minor, minorDigits(currency)) as unknown as number)

/** Cached, because a format takes far longer to create than a number to format. */
const formatOf = memoize(
  (NumberFormat: typeof Intl.NumberFormat, locale: string, style: string) =>
    new NumberFormat(locale, { style: style === 'percent' ? 'percent' : 'decimal', maximumFractionDigits: 10 }),
)

const moneyFormatOf = memoize(
  (NumberFormat: typeof Intl.NumberFormat, locale: string, currency: string) =>
    new NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }),
)
