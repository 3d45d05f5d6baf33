import { useMemo } from 'react'
import { minorDigits } from '#registry/iso-codes.ts'
import { useTexts } from './texts.tsx'

/** Returns functions that format and parse numbers, amounts and days in the notation of the language. */
export function useFormat() {
  const { locale } = useTexts()
  return useMemo(() => formatOf(locale), [locale])
}

function formatOf(locale: string) {
  const { group, decimal } = separators(locale)
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 10 })
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const exactly = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const regions = new Intl.DisplayNames(locale, { type: 'region' })
  const moneys = new Intl.DisplayNames(locale, { type: 'currency' })

  /** Converts typed text to a plain decimal numeral, such as "1234.5". Returns undefined if it is none. */
  const numeral = (typed: string): string | undefined => {
    const plain = typed.trim().replaceAll(/[\s\u00a0\u202f']/g, '')
    const grouped = new RegExp(`^-?\\d{1,3}(\\${group}\\d{3})+(\\${decimal}\\d+)?$`)
    const bare = grouped.test(plain) ? plain.replaceAll(group, '') : plain
    const point = bare.replace(decimal, '.')
    return /^-?\d+(\.\d+)?$/.test(point) ? point : undefined
  }

  return {
    number: (value: number) => number.format(value),
    day: (value: string) => day.format(new Date(`${value.slice(0, 10)}T00:00:00Z`)),
    moment: (value: string) => moment.format(new Date(value)),
    exactly: (value: string) => exactly.format(new Date(value)),
    /** Formats how long ago a moment of the last days was. */
    ago: (value: string) => {
      const seconds = Math.max(0, (Date.now() - new Date(value).getTime()) / 1000)
      const [unit, length] = agoUnits.find(([, length]) => seconds >= length) ?? agoUnits[2]
      return relative.format(-Math.max(1, Math.floor(seconds / length)), unit)
    },
    country: (code: string) => regions.of(code) ?? code,
    currency: (code: string) => moneys.of(code) ?? code,
    /** Formats an amount of minor units, exact at any size. */
    money: (minor: number, currency: string) =>
      moneyFormat(locale, currency).format(unitsText(minor, minorDigits(currency)) as unknown as number),
    /** Formats an amount as people would type it. */
    amount: (minor: number, currency: string) => unitsText(minor, minorDigits(currency)).replace('.', decimal),
    typed: (value: number) => String(value).replace('.', decimal),
    readNumber: (typed: string): number | undefined => {
      const text = numeral(typed)
      return text === undefined ? undefined : Number(text)
    },
    /** Parses a typed amount to minor units by its digits, without rounding. Returns undefined if it is none. */
    readAmount: (typed: string, currency: string): number | undefined => {
      const [whole, fraction = ''] = numeral(typed)?.split('.') ?? []
      const digits = minorDigits(currency)
      if (whole === undefined || fraction.length > digits) return undefined
      const minor = Number(BigInt(whole + fraction.padEnd(digits, '0')))
      return Number.isSafeInteger(minor) ? minor : undefined
    },
  }
}

/** Seconds of the units; less than a minute counts as one. */
const agoUnits = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

const moneyFormat = (locale: string, currency: string) =>
  new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })

function unitsText(minor: number, digits: number): string {
  const sign = minor < 0 ? '-' : ''
  const text = String(Math.abs(minor)).padStart(digits + 1, '0')
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`
}

function separators(locale: string): { group: string; decimal: string } {
  const parts = new Intl.NumberFormat(locale).formatToParts(12345.6)
  const partOf = (type: string, usual: string): string => parts.find((part) => part.type === type)?.value ?? usual
  return { group: partOf('group', ','), decimal: partOf('decimal', '.') }
}
