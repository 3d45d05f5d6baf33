import type { Common, Kind } from './kind.ts'

/** The ways to reach somebody: e-mail, telephone, web address. */
export type EmailField = Common & { kind: 'email' }
export type PhoneField = Common & { kind: 'phone' }
export type UrlField = Common & { kind: 'url' }

export const email: Kind<EmailField> = {
  schema: () => ({
    type: 'string',
    minLength: 3,
    maxLength: 254,
    pattern: '^[^@\\s\\x00]+@[^@\\s.\\x00]+(\\.[^@\\s.\\x00]+)+$',
  }),
  must: () => 'must be an e-mail address like ada@example.com, of at most 254 characters',
  column: () => 'text',
  check: (_, column) => `char_length(${column}) between 3 and 254`,
  example: () => 'ada@example.com',
  sortable: true,
}

export const phone: Kind<PhoneField> = {
  schema: () => ({
    type: 'string',
    minLength: 5,
    maxLength: 20,
    pattern: '^[+0-9()./x-][+0-9 ()./x-]*[+0-9()./x-]$',
  }),
  must: () => 'must be a telephone number of 5 to 20 of the characters 0-9 + - ( ) . / x and space',
  column: () => 'text',
  check: (_, column) => `char_length(${column}) between 5 and 20`,
  example: () => '+44 20 7946 0958',
  sortable: false,
}

export const url: Kind<UrlField> = {
  // Only these two schemes: a page may show the value as a link. The first dot is found without trying each of many.
  schema: () => ({
    type: 'string',
    minLength: 10,
    maxLength: 500,
    pattern: '^https?://[^\\s.\\x00]+\\.[^\\s\\x00]+$',
  }),
  asked: () => ({ format: 'iri' }),
  must: () => 'must be a web address that begins with https:// or http://, of at most 500 characters',
  column: () => 'text',
  check: (_, column) => `char_length(${column}) between 10 and 500`,
  refuses: (_, value) => !URL.canParse(value as string),
  example: () => 'https://example.com',
  sortable: false,
}
