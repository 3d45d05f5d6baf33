/**
 * The spelling of texts that others wrote, for pages, terminals and the log. A text cannot hide or turn itself or what
 * stands beside it: control characters could recolour, rewrite or answer for a terminal (ECMA-48), bidirectional ones
 * reverse text (UAX 9), and invisible ones make two names look the same. Each is shown as its code point. Decisions,
 * Texts of others.
 */

/** Spells a text of several lines. */
export const formatPrintable = (text: string): string =>
  text
    .replaceAll(hiddenOrJoined, (found) => (isHidden.test(found) ? formatCodePoints(found) : found))
    .replaceAll(marks, (_, kept, more) => kept + formatCodePoints(more))

/** Spells a text within a line, so that it starts neither a new line nor a new column, and is seen if it is blank. */
export function inLine(text: string): string {
  const line = text.replaceAll(/\r\n?|[\n\t]/g, ' ')
  return isBlank(line) ? formatCodePoints(line) : formatPrintable(line)
}

const isBlank = (text: string): boolean => !/\S/.test(text)

/** A spelled text, and the length of the original in characters. */
export type SpelledText = { text: string; length: number; isCut: boolean }

/**
 * Spells the first `max` characters of a text. A text of blanks alone is shown as its code points, and a mark at the
 * beginning stands on a circle, so that it changes no letter before it.
 */
export function spellText(text: string, max = Number.POSITIVE_INFINITY): SpelledText {
  // Twice as many units have at least as many characters, so that a long text is not split as a whole.
  const characters = [...text.slice(0, 2 * max)].slice(0, max)
  const shown = characters.join('')
  const isCut = shown.length < text.length
  const spelled = isBlank(shown) ? formatCodePoints(shown) : formatPrintable(shown).replace(/^\p{M}/u, '\u25cc$&')
  return { text: spelled, length: isCut ? [...text].length : characters.length, isCut }
}

/** JSON means the same whether a character stands in it or its escape. */
export const printableJson = (json: string): string =>
  json.replaceAll(hiddenOrJoined, (found) => (isHidden.test(found) ? found.replaceAll(/[\s\S]/g, formatUnit) : found))

/** All of C0 but the line break and the tab, DEL, C1, halves of characters, and what directs, breaks or shows nothing. */
const hidden =
  '(?![\\n\\t])[\\p{Cc}\\p{Cs}\\p{Bidi_Control}\\p{Default_Ignorable_Code_Point}\\u2028\\u2029\\u2800\\ufff9-\\ufffb\\u{1d159}]'

/** Scripts whose letters are joined, or kept apart, by an invisible character between them. */
const joining = `[${[
  'Arab',
  'Syrc',
  'Nkoo',
  'Mong',
  'Deva',
  'Beng',
  'Guru',
  'Gujr',
  'Orya',
  'Taml',
  'Telu',
  'Knda',
  'Mlym',
  'Sinh',
]
  .map((script) => `\\p{scx=${script}}`)
  .join('')}]`

const pictograph = '\\p{Extended_Pictographic}[\\ufe0e\\ufe0f]?\\p{Emoji_Modifier}?'

/** Invisible characters where they belong: in joined letters, variants of ideographs, and pictographs. */
const joined = [
  `${joining}[\\u200c\\u200d](?=${joining})`,
  '\\p{Unified_Ideograph}[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]',
  `${pictograph}(?:\\u200d${pictograph})*`,
  '[0-9#*]\\ufe0f\\u20e3',
]

const hiddenOrJoined = new RegExp(`${joined.join('|')}|${hidden}`, 'gu')
const isHidden = new RegExp(`^${hidden}$`, 'u')

/** More marks than four on a letter reach into the lines above and below. */
const marks = /(\p{M}{4})(\p{M}+)/gu

const formatCodePoints = (text: string): string =>
  Array.from(text, (character) => `⟨U+${hexOf(character.codePointAt(0) as number).toUpperCase()}⟩`).join('')

const formatUnit = (unit: string): string => `\\u${hexOf(unit.charCodeAt(0))}`

const hexOf = (code: number): string => code.toString(16).padStart(4, '0')

/** Text of others as a sentence of ours. */

/** Sentences of fields begin with the name of the field, which stays as it is. */
export const asSentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`)

/** Without the stops and blanks at its end, to go on within a sentence. */
export function withoutStop(text: string): string {
  let end = text.length
  while (end > 0 && /[.\s]/.test(text[end - 1] as string)) end--
  return text.slice(0, end)
}
