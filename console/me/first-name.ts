import { type ForeignText, quote } from '../texts/foreign.ts'
import { rawText } from '../texts/raw-text.ts'

/** Returns the first word of a name, or all of a name whose first word is blank. */
export function firstName(name: ForeignText): string {
  const [first = ''] = rawText(name).split(' ')
  return quote(first === '' ? name : first, 40)
}
