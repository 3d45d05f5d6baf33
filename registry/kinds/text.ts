import type { Common, Kind } from './kind.ts'

/**
 * Text of up to `max` characters (code points), trimmed. Where a record must never be without one and the caller
 * gives none, `numbered` makes one: the prefix and a running number of six digits.
 */
export type TextField = Common & { kind: 'text'; max: number; example: string; numbered?: string }

export const text: Kind<TextField> = {
  // NUL cannot be stored by PostgreSQL and is refused when the body is read.
  schema: ({ max }) => ({ type: 'string', minLength: 1, maxLength: max }),
  must: ({ max }) => `must be text of 1 to ${max} characters`,
  column: () => 'text',
  check: ({ max }, column) => `char_length(${column}) between 1 and ${max}`,
  example: ({ example }) => example,
  sortable: true,
  input: 'text',
}

/** Long text, shown in several lines. */
export type ParagraphField = Common & { kind: 'paragraph'; max: number; example: string }

export const paragraph: Kind<ParagraphField> = {
  schema: ({ max }) => ({ type: 'string', minLength: 1, maxLength: max }),
  must: ({ max }) => `must be text of 1 to ${max} characters`,
  column: () => 'text',
  check: ({ max }, column) => `char_length(${column}) between 1 and ${max}`,
  example: ({ example }) => example,
  sortable: false,
  input: 'paragraph',
}
