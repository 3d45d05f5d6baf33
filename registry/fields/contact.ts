import { invisibleIn, removeInvisible } from '../invisible.ts'
import { type CommonMembers, type Kind, refuse } from './kind.ts'
import { spell } from './spelling.ts'

/** The ways to reach somebody: e-mail, telephone, web address. */
type EmailField = CommonMembers & { kind: 'email' }
type PhoneField = CommonMembers & { kind: 'phone' }
type UrlField = CommonMembers & { kind: 'url' }

export const email: Kind<EmailField> = {
  ...patternKind(3, 254, '^[^@\\s\\x00]+@[^@\\s.\\x00]+(\\.[^@\\s.\\x00]+)+$'),
  must: () => 'must be one e-mail address like ada@example.com, of at most 254 characters',
  hides(_, value) {
    const character = invisibleIn(value)
    return character && `must be an e-mail address without the invisible character ${character}`
  },
  // RFC 2606: no mail is ever delivered to .invalid.
  erased: ({ required }, { id }) => (required ? `erased-${id}@erased.invalid` : null),
  parse(text) {
    const value = spell(text).replace(/^mailto:/i, '')
    if (invisibleIn(value) !== undefined) return refuse('invisible', value)
    const [blankOrSign] = value.match(/[\s,;<>]/) ?? []
    return blankOrSign === undefined ? { value: value || null } : refuse('not_an_email', blankOrSign.trim() || value)
  },
  format: (value) => String(value),
  comparison: { key: (text) => `email_key(${text})` },
  example: () => 'ada@example.com',
  sortable: true,
}

const blanks = ' \u00a0\u2000-\u200a\u202f\u205f\u3000'
/** All but blanks, with hyphens, dashes and minus signs. The hyphen of ASCII stands last, as in every class. */
const phoneSigns = '+0-9()./x\u2010-\u2015\u2212\ufe58\ufe63\uff0d-'

export const phone: Kind<PhoneField> = {
  ...patternKind(5, 40, `^[${phoneSigns}][${blanks}${phoneSigns}]*([Ee]xt[${blanks}${phoneSigns}]*)?[${phoneSigns}]$`),
  must: () =>
    'must be a telephone number of 5 to 40 characters: 0-9 + ( ) . / x, dashes and blanks, and ext. before an extension',
  erased: ({ required }) => (required ? '00000' : null),
  parse(text) {
    // Pasted numbers have marks of direction and shape anywhere.
    const value = spell(removeInvisible(spell(text))).replace(/^tel:/i, '')
    const [word] = value.replace(/ ?(?:ext\.?|x) ?\d{1,8}$/i, '').match(/\p{L}+/u) ?? []
    return word === undefined ? { value: value || null } : refuse('not_a_phone', word)
  },
  format: (value) => String(value),
  // One may be written with its country or area, the other without.
  comparison: {
    key: (text) => `right(phone_digits(${text}), 7)`,
    isSame: (stored, text) => `(has_digits(${stored}, ${text}) or has_digits(${text}, ${stored}))`,
  },
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
  parse(text) {
    const spelled = spell(text)
    if (spelled === '') return { value: null }
    if (invisibleIn(spelled) !== undefined) return refuse('invisible', spelled)
    const [first = '', ...others] = spelled.split('://')
    const scheme = others.length > 0 && /^[a-z][a-z\d+-]*$/i.test(first) ? first : undefined
    if (scheme !== undefined && !/^https?$/i.test(scheme)) return refuse('not_an_address', scheme)
    const rest = scheme === undefined ? spelled : others.join('://')
    const [host = ''] = rest.split(/[/?#]/)
    if (/[\s@]/.test(host) || !/[^.]\.[^.]/.test(host)) return refuse('not_an_address', host || spelled)
    return { value: `${scheme?.toLowerCase() ?? 'https'}://${rest}` }
  },
  format: (value) => String(value),
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
