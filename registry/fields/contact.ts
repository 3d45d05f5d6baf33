import type { CommonMembers, Kind } from './kind.ts'

/** The ways to reach somebody: e-mail, telephone, web address. */
type EmailField = CommonMembers & { kind: 'email' }
type PhoneField = CommonMembers & { kind: 'phone' }
type UrlField = CommonMembers & { kind: 'url' }

export const email: Kind<EmailField> = {
  ...patternKind(3, 254, '^[^@\\s\\x00]+@[^@\\s.\\x00]+(\\.[^@\\s.\\x00]+)+$'),
  must: () => 'must be an e-mail address like ada@example.com, of at most 254 characters',
  // RFC 2606: no mail is ever delivered to .invalid.
  erased: ({ required }, { id }) => (required ? `erased-${id}@erased.invalid` : null),
  example: () => 'ada@example.com',
  sortable: true,
}

export const phone: Kind<PhoneField> = {
  ...patternKind(5, 20, '^[+0-9()./x-][+0-9 ()./x-]*[+0-9()./x-]$'),
  must: () => 'must be a telephone number of 5 to 20 of the characters 0-9 + - ( ) . / x and space',
  erased: ({ required }) => (required ? '00000' : null),
  example: () => '+44 20 7946 0958',
}

export const url: Kind<UrlField> = {
  // Only these two schemes, because a page may show the value as a link. The pattern finds the first dot without
  // backtracking.
  ...patternKind(10, 500, '^https?://[^\\s.\\x00]+\\.[^\\s\\x00]+$'),
  asked: () => ({ format: 'iri' }),
  must: () => 'must be a web address that begins with https:// or http://, of at most 500 characters',
  refuses: (_, value) => !URL.canParse(value as string),
  erased: ({ required }) => (required ? 'https://erased.invalid' : null),
  example: () => 'https://example.com',
}

/** Returns the members of a kind whose values have a length and match a pattern. */
function patternKind(minLength: number, maxLength: number, pattern: string) {
  return {
    schema: () => ({ type: 'string', minLength, maxLength, pattern }) as const,
    column: () => 'text',
    check: (_: unknown, column: string) => `char_length(${column}) between ${minLength} and ${maxLength}`,
  }
}
