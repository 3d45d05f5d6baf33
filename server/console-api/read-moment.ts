import { momentOf } from '#derive/moment.ts'
import { invalidParameter, isValueOf, quoteText } from '#derive/query.ts'
import type { Field } from '#registry/fields/index.ts'
import { invalidField } from '#registry/refusals.ts'

/** Returns the moment that a body names. Throws where it is none. */
export function readMoment(field: string, text: string): Date {
  const moment = momentOf(text)
  if (moment === undefined) throw invalidField(field, 'wrong_format', 'must be a moment like 2026-03-31T12:00:00Z')
  return new Date(moment)
}

const dayMilliseconds = 24 * 3600 * 1000

const day: Field = { kind: 'date', example: '2026-03-31', about: '' }

/** Returns what a parameter says: a day, all of it, or a moment. Throws where it is neither. */
export function readDayOrMoment(name: string, value: string | undefined): { begins: string; ends: string } | undefined {
  if (value === undefined) return undefined
  if (isValueOf(day, value)) {
    const begins = new Date(`${value}T00:00:00Z`)
    return { begins: begins.toISOString(), ends: new Date(begins.getTime() + dayMilliseconds).toISOString() }
  }
  const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value) ? new Date(value) : new Date(Number.NaN)
  if (Number.isNaN(moment.getTime()) || moment.getUTCFullYear() < 1)
    throw invalidParameter(
      name,
      `is ${quoteText(value)}; it must be a day like 2026-03-31 or a moment like 2026-03-31T12:00:00Z`,
    )
  return { begins: moment.toISOString(), ends: new Date(moment.getTime() + 1).toISOString() }
}
