import { isIP } from 'node:net'

/** The form of a setting's text. `read` returns its value, or undefined if it is invalid. A `secret` is never shown. */
export type Form<Value> = {
  must: string
  /** Returns a more precise `must` for one text. */
  mustFor?: (text: string) => string | undefined
  read: (text: string) => Value | undefined
  secret?: true
}

export const anyText: Form<string> = { read: (text) => text, must: 'anything' }

export const wholeNumber = (min: number, max: number, unit = ''): Form<number> => ({
  read: (text) => integer(text, min, max),
  must: `a whole number${unit} from ${min} to ${max}`,
})

export const milliseconds = wholeNumber(50, 600_000, ' of milliseconds')

const units: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds, written with a unit. */
export const duration: Form<number> = {
  read(text) {
    const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
    const milliseconds = Number(count) * (units[unit] ?? 0)
    return milliseconds >= 60_000 && milliseconds <= 365 * 86_400_000 ? milliseconds : undefined
  },
  must: 'a whole number with m, h or d, from 1m to 365d',
}

export const oneOf = <Word extends string>(...words: readonly Word[]): Form<Word> => ({
  read: (text) => words.find((word) => word === text),
  must: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
})

/** Returns the form, with null for an empty text. */
export const orNone = <Value>(form: Form<Value>): Form<Value | null> => ({
  ...form,
  read: (text) => (text === '' ? null : form.read(text)),
})

export const secretKey: Form<string> = {
  read: (text) => (text.length < 32 ? undefined : text),
  must: 'at least 32 characters long',
  secret: true,
}

export const hostName: Form<string> = {
  read: (text) => (isIP(text) > 0 || /^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$/.test(text) ? text : undefined),
  must: 'an address or a host name',
}

export type Address = { host: string; port: number }

export const address: Form<Address> = {
  read(text) {
    const colon = text.lastIndexOf(':')
    const named = text.slice(0, Math.max(colon, 0))
    const host = hostName.read(named.startsWith('[') && named.endsWith(']') ? named.slice(1, -1) : named)
    const port = integer(text.slice(colon + 1), 1, 65_535)
    return host === undefined || port === undefined ? undefined : { host, port }
  },
  must: 'an address and a port like 127.0.0.1:9464',
}

/** An address of PostgreSQL. Without a host, as in postgres://user@/name?host=/run/postgresql, it is a Unix socket. */
export const postgresUrl: Form<string> = {
  read: (text) => (postgresUrlOf(text) && !namesSeveralHosts(text) ? text : undefined),
  must: 'an address like postgres://user:password@host:5432/name',
  mustFor: (text) =>
    namesSeveralHosts(text)
      ? 'an address with one host: name one that follows the primary, such as a TCP proxy or the provider’s name'
      : undefined,
  secret: true,
}

/** Parses the address of a database. Returns null if it is none. */
export function postgresUrlOf(text: string): URL | null {
  const url = URL.parse(text.replace('@/', '@socket/'))
  return url && /^postgres(ql)?:$/.test(url.protocol) ? url : null
}

/** Returns whether an address has several hosts, which the driver does not support. A list with ports is no URL. */
function namesSeveralHosts(text: string): boolean {
  const [address = '', query = ''] = text.split('?', 2)
  const [, , authority = ''] = address.split('/', 3)
  const hosts = authority.slice(authority.lastIndexOf('@') + 1)
  return hosts.includes(',') || new URLSearchParams(query).getAll('host').join().includes(',')
}

export const webAddress: Form<string> = {
  read(text) {
    const url = URL.parse(text)
    return url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash
      ? url.origin
      : undefined
  },
  must: 'an address like https://erp.example.com, without a path',
}

const entriesOf = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

export const ranges: Form<readonly string[]> = {
  read(text) {
    const entries = entriesOf(text)
    return entries.every(isRange) ? entries : undefined
  },
  must: 'addresses and ranges like 10.0.0.1 or 10.0.0.0/8, with commas',
}

/** A list of seconds. */
export const pauses: Form<readonly number[]> = {
  read(text) {
    const seconds = entriesOf(text).map((entry) => integer(entry, 1, 604_800) ?? Number.NaN)
    return seconds.length > 0 && !seconds.some(Number.isNaN) ? seconds : undefined
  },
  must: 'whole numbers of seconds from 1 to 604800, with commas',
}

/** Returns whether a text is an address or a CIDR range. */
function isRange(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/')
  const family = isIP(address)
  return (
    family > 0 && rest.length === 0 && (bits === undefined || integer(bits, 0, family === 4 ? 32 : 128) !== undefined)
  )
}

function integer(text: string, min: number, max: number): number | undefined {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return number >= min && number <= max ? number : undefined
}
