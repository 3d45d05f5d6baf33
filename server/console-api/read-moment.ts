import { momentOf } from '#derive/moment.ts'
import { invalidField } from '#registry/refusals.ts'

/** Returns the moment that a body names. Throws where it is none. */
export function readMoment(field: string, text: string): Date {
  const moment = momentOf(text)
  if (moment === undefined) throw invalidField(field, 'wrong_format', 'must be a moment like 2026-03-31T12:00:00Z')
  return new Date(moment)
}
