import { memoize } from '../memoize.ts'
import { type Habits, type Read, refuse } from './kind.ts'
import { foldLabel, spell } from './spelling.ts'

/** Days as people write them. */

/** Parses a day. Midnight may follow in any spelling: the day is the one that is written, in whatever zone. */
export function parseDay(text: string, { language, dayOrder }: Habits): Read {
  const spelled = spell(text)
  if (spelled === '') return { value: null }
  const at = spelled.search(/[T ,]\d{1,2}:/i)
  const time = at < 0 ? '' : spelled.slice(at + 1)
  if (time !== '' && !midnight.test(time)) return refuse('has_time', time)
  const day = at < 0 ? spelled : spelled.slice(0, at).replace(/[ ,]$/, '')

  const iso = /^(\d{4})([-./])(\d{1,2})\2(\d{1,2})$/.exec(day)
  if (iso) return dayOf(text, iso[1], iso[3], iso[4])

  const [, first, stroke, second, year = ''] = /^(\d{1,2})([-./]) ?(\d{1,2})\2 ?(\d{2}|\d{4})$/.exec(day) ?? []
  if (year.length === 2) return refuse('short_year', year)
  if (stroke !== undefined) {
    const order = stroke === '.' ? 'day' : dayOrder
    if (order === undefined) return { open: 'dayOrder' }
    return order === 'day' ? dayOf(text, year, second, first) : dayOf(text, year, first, second)
  }

  const words: string[] = day.match(/\d+|\p{L}+/gu) ?? []
  const name = words.find((word) => /\D/.test(word))
  if (name === undefined) return refuse('not_a_day', spelled)
  const month = monthsIn(monthLanguages, language).get(foldLabel(name))
  if (month === undefined) return refuse('not_a_day', name)
  const [date = '', namedYear = '', ...more] = words.toSpliced(words.indexOf(name), 1)
  const isWhole = more.length === 0 && date.length <= 2 && words.indexOf(name) < 2
  if (!isWhole || /[^\d\p{L}./, -]/u.test(day)) return refuse('not_a_day', spelled)
  return namedYear.length === 2 ? refuse('short_year', namedYear) : dayOf(text, namedYear, String(month), date)
}

/** Midnight, with the zone in which the day is written. */
const midnight =
  /^(?:0{1,2}:00(?::00(?:[.,]0{1,9})?)?(?: ?AM| Uhr)?|12:00(?::00(?:[.,]0{1,9})?)? ?AM)(?: ?(?:Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?$/i

/** Returns the day if the calendar has it. */
function dayOf(text: string, year = '', month = '', day = ''): Read {
  const value = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isCalendarDay(value) ? { value } : refuse('not_a_day', spell(text))
}

export function isCalendarDay(value: string): boolean {
  const at = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value)
}

/** Returns the day `count` days after a day of the calendar, both `YYYY-MM-DD`; a negative count leads back. */
export function addDays(day: string, count: number): string {
  const at = new Date(`${day}T00:00:00Z`)
  at.setUTCDate(at.getUTCDate() + count)
  return at.toISOString().slice(0, 10)
}

/** The languages of the interface, in the forms that differ in names of months. */
const monthLanguages: readonly string[] = ['en-GB', 'en-US', 'de', 'de-AT']

/** Returns the numbers of months by their names in the languages of the interface and a further one, from 1. */
const monthsIn = memoize((languages: readonly string[], language: string): ReadonlyMap<string, number> => {
  // Excel's short form in German, which Intl does not have.
  const months = new Map([['mrz', 3]])
  for (const each of [language, ...languages].toReversed())
    for (const month of ['long', 'short'] as const)
      for (const day of [undefined, 'numeric'] as const) {
        const format = new Intl.DateTimeFormat(each, { month, day, timeZone: 'UTC' })
        for (let n = 1; n <= 12; n += 1) {
          const part = format.formatToParts(Date.UTC(2026, n - 1, 1)).find(({ type }) => type === 'month')
          if (part) months.set(foldLabel(part.value), n)
        }
      }
  return months
})

/** Formats a day in the language, by the name of the month where its order could be taken for another. */
export const formatDay = (value: string, { language }: Habits): string =>
  dayFormat(monthLanguages, language).format(new Date(`${value}T00:00:00Z`))

const dayFormat = memoize(
  (_: readonly string[], language: string) =>
    new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }),
)
