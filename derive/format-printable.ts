/**
 * Escapes a text for a terminal. Names come from any caller: a control character could recolour, rewrite or answer for
 * the terminal (ECMA-48), and a bidirectional one reverses text. Each becomes its code point.
 */
export const formatPrintable = (text: string): string => text.replaceAll(dangerous, formatCodePoint)

/** Escapes a word within a line, so that it starts neither a new line nor a new column. */
export const inLine = (text: string): string => formatPrintable(text.replaceAll(/\r\n?|[\n\t]/g, ' '))

/** JSON means the same whether a character stands in it or its escape. */
export const printableJson = (json: string): string =>
  json.replaceAll(dangerous, (character) => `\\u${hexOf(character)}`)

/** All of C0 but the line break and the tab, DEL, C1, and what directs or breaks lines. */
const dangerous = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

const formatCodePoint = (character: string): string => `<U+${hexOf(character).toUpperCase()}>`

const hexOf = (character: string): string => (character.codePointAt(0) as number).toString(16).padStart(4, '0')

/** Text of others as a sentence of ours. */

/** Sentences of fields begin with the name of the field, which stays as it is. */
export const asSentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`)

/** Without the stops and blanks at its end, to go on within a sentence. */
export function withoutStop(text: string): string {
  let end = text.length
  while (end > 0 && /[.\s]/.test(text[end - 1] as string)) end--
  return text.slice(0, end)
}
