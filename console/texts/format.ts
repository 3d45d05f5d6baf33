import { useMemo } from 'react'
import { formatMoney, formatNumber } from '#derive/format-number.ts'
import { useTexts } from './texts.tsx'

/** Returns functions that format numbers, amounts and days in the notation of the language. */
export function useFormat() {
  const { locale } = useTexts()
  return useMemo(() => formatOf(locale), [locale])
}

function formatOf(locale: string) {
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const longDay = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
  const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const exactly = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const regions = new Intl.DisplayNames(locale, { type: 'region' })
  const moneys = new Intl.DisplayNames(locale, { type: 'currency' })

  return {
    number: (value: number) => formatNumber(value, locale),
    day: (value: string) => day.format(new Date(`${value.slice(0, 10)}T00:00:00Z`)),
    /** Formats a day with its month as a word. */
    longDay: (value: string) => longDay.format(new Date(`${value}T00:00:00Z`)),
    /** Formats the month of a day. */
    month: (value: string) => month.format(new Date(`${value}T00:00:00Z`)),
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
    money: (minor: number, currency: string) => formatMoney(minor, currency, locale),
  }
}

/** Seconds of the units; less than a minute counts as one. */
const agoUnits = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const
