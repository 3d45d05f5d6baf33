import { formatDay, isCalendarDay, parseDay } from './day.ts'
import type { CommonMembers, Kind } from './kind.ts'
import { spell } from './spelling.ts'

/** A day of the calendar, without a time or a zone. */
type DateField = CommonMembers & { kind: 'date'; example: string }

export const date: Kind<DateField> = {
  // `refuses` checks the calendar.
  schema: () => ({ type: 'string', format: 'date', pattern: `^${dayPattern}$` }),
  must: () => 'must be a day of the calendar like 2026-03-31',
  column: () => 'date',
  refuses: (_, value) => !isCalendarDay(value as string),
  parse: (text, _, habits) => parseDay(text, habits),
  format: (value, _, habits) => formatDay(value as string, habits),
  example: ({ example }) => example,
  sortable: true,
  filter: 'range',
}

/** A day as digits; PostgreSQL has no year 0. */
export const dayPattern = '([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)-[0-9]{2}-[0-9]{2}'

/** A moment, shown in UTC with milliseconds (RFC 3339). Only the service sets one. */
type InstantField = CommonMembers & { kind: 'instant' }

export const instant: Kind<InstantField> = {
  schema: () => ({ type: 'string', format: 'date-time' }),
  must: () => 'must be a moment like 2026-03-31T12:00:00Z',
  column: () => 'timestamptz',
  shown: (column) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  parse: (text) => ({ value: spell(text) || null }),
  format: (value) => String(value),
  example: () => '2026-03-31T12:00:00.000Z',
  sortable: true,
  drawn: true,
}
