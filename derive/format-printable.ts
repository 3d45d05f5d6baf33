import { formatCodePoint } from '#registry/invisible.ts'

/**
 * The spelling of texts that others wrote, for pages, terminals and the log. A text cannot hide or turn itself or what
 * stands beside it: control characters could recolour, rewrite or answer for a terminal (ECMA-48), bidirectional ones
 * reverse text (UAX 9), and invisible ones make two names look the same. Each is shown as its code point. Decisions,
 * Foreign texts.
 */

/** Spells a text of several lines. */
export const formatPrintable = (text: string): string =>
  replaceHidden(text, formatCodePoints).replaceAll(marks, (_, kept, more) => kept + formatCodePoints(more))

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
  replaceHidden(json, (found) => found.replaceAll(/[\s\S]/g, formatUnit))

/** All of C0 but the line break and the tab, DEL, C1, halves of characters, and what directs, breaks or shows nothing. */
const hidden =
  /(?![\n\t])[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb\u{1d159}]/gu

/** Replaces the characters that hide, turn or control, except where they belong. */
const replaceHidden = (text: string, format: (found: string) => string): string =>
  text.replaceAll(hidden, (found, at: number) => (isAtHome(text, found, at) ? found : format(found)))

/** Returns whether an invisible character joins letters or pictographs, or chooses the shape of an ideograph. */
function isAtHome(text: string, found: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 3), at)
  const after = text.slice(at + found.length, at + found.length + 2)
  if (found === '\u200c') return endsJoining.test(before) && beginsJoining.test(after)
  if (found === '\u200d')
    return endsJoining.test(before)
      ? beginsJoining.test(after)
      : endsPictured.test(before) && beginsPictured.test(after)
  if (found === '\ufe0e' || found === '\ufe0f')
    return endsPictograph.test(before) || (/[0-9#*]$/.test(before) && after.startsWith('\u20e3'))
  return isVariation.test(found) && endsIdeograph.test(before)
}

/** Letters of scripts that write with joiners. */
const endsJoining =
  /[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Gujr}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}]$/u
const beginsJoining =
  /^[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Gujr}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}]/u
const endsPictograph = /\p{Extended_Pictographic}$/u
const endsPictured = /(?:\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})$/u
const beginsPictured = /^\p{Extended_Pictographic}/u
const isVariation = /^[\ufe00-\ufe02\u{e0100}-\u{e01ef}]$/u
const endsIdeograph = /\p{Unified_Ideograph}$/u

/** More marks than four on a letter reach into the lines above and below. */
const marks = /(\p{M}{4})(\p{M}+)/gu

const formatCodePoints = (text: string): string =>
  Array.from(text, (character) => `⟨${formatCodePoint(character)}⟩`).join('')

const formatUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Text of others as a sentence of ours. */

/** Sentences of fields begin with the name of the field, which stays as it is. */
export const asSentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`)

/** Without the stops and blanks at its end, to go on within a sentence. */
export function withoutStop(text: string): string {
  const characters = [...text]
  return characters.slice(0, characters.findLastIndex((character) => !/[.\s]/.test(character)) + 1).join('')
}
