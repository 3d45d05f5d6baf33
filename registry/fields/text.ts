import type { CommonMembers, Kind } from './kind.ts'

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
  example: ({ example }) => example,
}

export const text: Kind<TextField> = {
  ...bounded,
  sortable: true,
  text: 'line',
  numbering: ({ numbered }) => numbered,
}

/** Long text, shown in several lines. */
type ParagraphField = CommonMembers & { kind: 'paragraph'; max: number; example: string }

export const paragraph: Kind<ParagraphField> = { ...bounded, text: 'paragraph' }
