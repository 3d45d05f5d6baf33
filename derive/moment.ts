import { isCalendarDay } from '#registry/fields/day.ts'

/** Parses moments of RFC 3339. Decisions, Lists. */

const pattern =
  /^(\d{4}-\d{2}-\d{2})T((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i

export const dayMilliseconds = 24 * 3600 * 1000
/** Decimals of a second that PostgreSQL stores. */
const fractionDigits = 6
/** PostgreSQL has no year 0, and four digits end with 9999. */
const [first, last] = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z']

/** Returns a moment in UTC as PostgreSQL reads it, or undefined if the text is none. */
export function momentOf(text: string): string | undefined {
  const [, day = '', minute, second, fraction = '', sign, hours, minutes] = pattern.exec(text) ?? []
  if (!isCalendarDay(day)) return undefined
  const offset = (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0))
  const at = new Date(Date.parse(`${day}T${minute}Z`) + (Number(second) - 60 * offset) * 1000)
  if (second === '60') return isAfterLeapSecond(at) ? formatMoment(at, '') : undefined
  return formatMoment(at, fraction.slice(0, fractionDigits))
}

/** A leap second ends a month in UTC (RFC 3339 5.7). Clocks have none, so it is the first moment after it. */
const isAfterLeapSecond = (at: Date): boolean => at.getTime() % dayMilliseconds === 0 && at.getUTCDate() === 1

function formatMoment(at: Date, fraction: string): string {
  if (at.getUTCFullYear() < 1) return first
  if (at.getUTCFullYear() > 9999) return last
  return `${at.toISOString().slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}Z`
}
