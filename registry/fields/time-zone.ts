import { type CommonMembers, type Kind, refuse } from './kind.ts'
import { spell } from './spelling.ts'

/** A time zone, by its name in the IANA database. */
type TimeZoneField = CommonMembers & { kind: 'time_zone' }

/** The names to choose from: the database has others for the same zones, which are accepted too. */
export const timeZones: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone')]

export const timeZone: Kind<TimeZoneField> = {
  // `Intl` takes offsets as well, whose day is wrong for half of the year.
  schema: () => ({ type: 'string', minLength: 1, maxLength: 60, pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' }),
  must: () => 'must be a time zone of the IANA database like Europe/Berlin',
  column: () => 'text',
  check: (_, column) => `char_length(${column}) between 1 and 60`,
  refuses: (_, value) => !isTimeZone(value as string),
  parse(text) {
    const value = spell(text).replaceAll(' ', '_')
    if (value === '') return { value: null }
    const name = timeZones.find((zone) => zone.toLowerCase() === value.toLowerCase()) ?? value
    return isTimeZone(name) ? { value: name } : refuse('wrong_format', value)
  },
  format: (value) => String(value),
  example: () => 'Europe/Berlin',
}

function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
