/** Parses moments of RFC 3339. Decisions, Lists. */

const pattern = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i

/** Decimals of a second that PostgreSQL stores. */
const fractionDigits = 6
/** PostgreSQL has no year 0, and four digits end with 9999. */
const [first, last] = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z']

/** Returns a moment in UTC as PostgreSQL reads it, or undefined if the text is none. */
export function momentOf(text: string): string | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as MomentParts
  const [fraction = '', sign, offsetHours, offsetMinutes] = match.slice(7)
  if (hour > 23 || minute > 59 || second > 60 || !isDay(year, month, day)) return undefined
  const offset = (sign === '-' ? -1 : 1) * (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0))
  const at = utc([year, month, day, hour, minute - offset, second])
  if (second === 60) return isAfterLeapSecond(at) ? formatMoment(at, '') : undefined
  return formatMoment(at, fraction.slice(0, fractionDigits))
}

type MomentParts = [number, number, number, number, number, number]

/** Date.UTC moves years below 100 to the last century. */
function utc([year, month, day, hour, minute, second]: MomentParts): Date {
  const at = new Date(0)
  at.setUTCFullYear(year, month - 1, day)
  at.setUTCHours(hour, minute, second)
  return at
}

const isDay = (year: number, month: number, day: number): boolean => {
  const at = utc([year, month, day, 0, 0, 0])
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day
}

/**
 * A leap second ends a month in UTC (RFC 3339 5.7). System clocks have none, so it becomes the first moment after it.
 */
const isAfterLeapSecond = (at: Date): boolean => at.getTime() % 86_400_000 === 0 && at.getUTCDate() === 1

function formatMoment(at: Date, fraction: string): string {
  if (at.getUTCFullYear() < 1) return first
  if (at.getUTCFullYear() > 9999) return last
  return `${at.toISOString().slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}Z`
}
