/** Text of others as a sentence of ours. */

/** Sentences of fields begin with the name of the field, which stays as it is. */
export const asSentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`)

/** Without the stops and blanks at its end, to go on within a sentence. */
export function withoutStop(text: string): string {
  let end = text.length
  while (end > 0 && /[.\s]/.test(text[end - 1] as string)) end--
  return text.slice(0, end)
}
