import type { Common, Kind } from './kind.ts'

/**
 * Text of up to `max` characters (code points), trimmed. Where a record must never be without one and the caller
 * gives none, `numbered` makes one: the prefix and a running number of six digits.
 */
export type TextField = Common & { kind: 'text'; max: number; example: string; numbered?: string }

/**
 * Not only white space, and no NUL, which PostgreSQL cannot store. The service sees to both before it checks a field:
 * text is trimmed, and a body with NUL is not read. Blanks and what may follow them have no character in common, so no
 * validator reads a text twice.
 */
const saysSomething = '^\\s*[^\\s\\x00][^\\x00]*$'

const bounded: Omit<Kind<TextField | ParagraphField>, 'sortable' | 'filter'> = {
  schema: ({ max }) => ({ type: 'string', minLength: 1, maxLength: max }),
  asked: () => ({ pattern: saysSomething }),
  must: ({ max }) => `must be text of 1 to ${max} characters`,
  column: () => 'text',
  check: ({ max }, column) => `char_length(${column}) between 1 and ${max}`,
  erased: ({ required, max }, { one, id }) => (required ? `Erased ${one} ${id}`.slice(0, max) : null),
  example: ({ example }) => example,
}

export const text: Kind<TextField> = { ...bounded, sortable: true, filter: null }

/** Long text, shown in several lines. */
export type ParagraphField = Common & { kind: 'paragraph'; max: number; example: string }

export const paragraph: Kind<ParagraphField> = { ...bounded, sortable: false, filter: null }
