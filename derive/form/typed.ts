import type { Field } from '#registry/fields/index.ts'
import type { Habits } from '#registry/fields/kind.ts'
import type { Json } from '#registry/json.ts'
import { checkValue } from '../check-value.ts'
import { formatValue, parseValue } from '../parse-value.ts'

/** Texts that are typed into a form. */

/** Returns the value of a typed text, or the text itself if it cannot be read, so that nothing is lost. */
export function typedValue(text: string, field: Field, habits: Habits): Json {
  const read = parseValue(text, field, habits)
  return 'value' in read ? read.value : text
}

/** Returns the text of a value as it would be typed, or the text that could not be read. */
export const shownText = (value: Json, field: Field, habits: Habits): string =>
  checkValue(field, value, '').problems.length > 0 ? String(value ?? '') : formatValue(value, field, habits)
