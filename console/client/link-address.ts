/** The values of records to which a page links. */
export type LinkedKind = 'email' | 'phone' | 'url'

/**
 * Returns the address of a link to a value, or undefined if the value makes none. Values are texts of others: of an
 * e-mail address each part is encoded, so that none adds a recipient or a header; a web address has one of two schemes,
 * and no name or password that would pass for its host.
 */
export function linkAddress(kind: LinkedKind, value: string): string | undefined {
  if (kind === 'email') return mailAddress(value)
  return kind === 'phone' ? phoneAddress(value) : webAddress(value)
}

/**
 * Returns the address of a mail draft (RFC 6068) with a subject and a text, to an address that may be missing. The lines of the
 * text end in `\n`.
 */
export function draftAddress(to: string | null, subject: string, body: string): string {
  const parts = [`subject=${encodePart(subject)}`, `body=${encodePart(body.replaceAll('\n', '\r\n'))}`]
  return `${(to && mailAddress(to)) || 'mailto:'}?${parts.join('&')}`
}

/** RFC 6068, 2. */
function mailAddress(value: string): string | undefined {
  const at = value.lastIndexOf('@')
  const [name, host] = [value.slice(0, Math.max(at, 0)), value.slice(at + 1)]
  return name === '' || host === '' ? undefined : `mailto:${encodePart(name)}@${encodePart(host)}`
}

/** RFC 3966: digits after a plus sign, and after `x` those of the extension. */
function phoneAddress(value: string): string | undefined {
  const [number = '', extension = ''] = value.split('x', 2)
  // A (0) is dialled within the country, and not after its code.
  const international = number.trimStart().startsWith('+')
  const digits = digitsOf(international ? number.replace('(0)', '') : number)
  if (digits === '') return undefined
  const more = digitsOf(extension)
  return `tel:${international ? '+' : ''}${digits}${more === '' ? '' : `;ext=${more}`}`
}

function webAddress(value: string): string | undefined {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return undefined
  const { href, username, password } = new URL(value)
  return username === '' && password === '' ? href : undefined
}

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '')

/** A surrogate without its other half has no encoding. */
const encodePart = (text: string): string => encodeURIComponent(text.toWellFormed())
