import { formatCodePoint, invisibleIn, removeInvisible, trimInvisible } from '../invisible.ts'
import { type CommonMembers, type Kind, type Read, refuse } from './kind.ts'

/**
 * Text of up to `max` characters (code points), trimmed. If a required text is missing, `numbered` fills it: the
 * prefix and a running number of six digits.
 */
type TextField = CommonMembers & { kind: 'text'; max: number; example: string; numbered?: string }

/**
 * Refuses white space alone, and NUL, which PostgreSQL cannot store. The service checks both before the field. Blanks
 * and the character after them do not overlap, so no validator backtracks.
 */
const saysSomething = '^\\s*[^\\s\\x00][^\\x00]*$'

const bounded: Kind<TextField | ParagraphField> = {
  schema: ({ max }) => ({ type: 'string', minLength: 1, maxLength: max }),
  asked: () => ({ pattern: saysSomething }),
  must: ({ max }) => `must be text of 1 to ${max} characters`,
  column: () => 'text',
  check: ({ max }, column) => `char_length(${column}) between 1 and ${max}`,
  erased: ({ required, max }, { one, id }) => (required ? `Erased ${one} ${id}`.slice(0, max) : null),
  parse: (text) => parseText(text, controlsOfLines),
  format: (value) => String(value),
  example: ({ example }) => example,
}

/** Composes letters with their marks (NFC), and refuses controls and a text that nobody sees. */
function parseText(text: string, refused: RegExp): Read {
  const value = trimInvisible(text).normalize('NFC')
  const [character] = value.match(refused) ?? []
  if (character !== undefined) return refuse('invisible', character)
  if (removeInvisible(value).trim() !== '') return { value }
  const [hidden] = text.match(/\S/u) ?? []
  return hidden === undefined ? { value: null } : refuse('invisible', hidden)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: tab and line breaks are no faults in several lines
const controlsOfLines = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/
const control = /\p{Cc}/u

export const text: Kind<TextField> = {
  ...bounded,
  // Without control characters; ranges of them, because RE2 and JavaScript share no name for them.
  asked: () => ({ pattern: '^\\s*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$' }),
  hides(field, value) {
    const [character] = value.match(control) ?? []
    if (character === undefined) return hidesAll(field, value)
    return `must be text of one line, without the control character ${formatCodePoint(character)}`
  },
  sortable: true,
  text: 'line',
  numbering: ({ numbered }) => numbered,
  parse: (text) => parseText(text, control),
}

/** Long text, shown in several lines. */
type ParagraphField = CommonMembers & { kind: 'paragraph'; max: number; example: string }

export const paragraph: Kind<ParagraphField> = { ...bounded, text: 'paragraph', hides: hidesAll }

/** Refuses a required text in which nobody sees anything. */
function hidesAll({ required }: CommonMembers, value: string): string | undefined {
  if (!required || removeInvisible(value).trim() !== '') return undefined
  return `must have a character that is seen, and ${invisibleIn(value)} is not`
}
