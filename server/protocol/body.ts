import { mergePatchType } from '#derive/operations/record.ts'
import { malformedJson, memberTwice } from '#derive/refusals.ts'
import type { Json } from '#registry/json.ts'
import { bodyDepthMax, bodyValuesMax } from '#registry/limits.ts'
import { Refusal } from '#registry/refusals.ts'
import type { Headers } from './headers.ts'

export type Body = { bytes: Buffer } | 'too large'

export const emptyBody = { bytes: Buffer.alloc(0) }

/** Parses a body of these media types. Throws a refusal if it cannot be parsed. Decisions, Bodies. */
export function readBody(body: Body, headers: Headers, types: readonly string[], valuesMax = bodyValuesMax): Json {
  if (body === 'too large') throw new Refusal('payload_too_large')
  onlyJson(headers, types)
  return readJson(textOf(body.bytes), valuesMax)
}

export function onlyJson({ contentType, contentEncoding }: Headers, accepted: readonly string[]): void {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length)
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset)
  const isPlain = contentEncoding === undefined || contentEncoding.trim().toLowerCase() === 'identity'
  if (accepted.includes(type) && isUtf8 && isPlain) return
  throw new Refusal('unsupported_media_type', {
    // Only a refusal of a coded body mentions codings (RFC 9110 12.5.3).
    ...(isPlain ? {} : { detail: 'Content-Encoding says that the body is coded; send it as it is.' }),
    headers: {
      Accept: accepted.join(', '),
      // RFC 5789 3.1
      ...(accepted.includes(mergePatchType) ? { 'Accept-Patch': accepted.join(', ') } : {}),
      ...(isPlain ? {} : { 'Accept-Encoding': 'identity' }),
    },
  })
}

/** Parses JSON exactly: texts that JSON.parse would silently alter are refused. */
export function readJson(text: string, valuesMax = bodyValuesMax): Json {
  onlyBounded(text, valuesMax)
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    throw malformedJson(text.trim() === '' ? 'The body is empty' : `The body is not JSON: ${(error as Error).message}`)
  }
  onlyFaithful(text)
  return value
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw malformedJson('The body is not valid UTF-8')
  }
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/**
 * Throws if the body has too many values or levels, before it is parsed. Lists half a million deep, or a hundred
 * thousand members, would cost a parser and every check a hundred times more than this count. Each member and item but
 * the first has a comma.
 */
function onlyBounded(text: string, valuesMax: number): void {
  let depth = 0
  let values = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === quote) at = endOfText(text, at)
    else if (unit === comma) values++
    else if (unit === openBrace || unit === openBracket) {
      values++
      if (++depth > bodyDepthMax) throw malformedJson(`The body is nested deeper than ${bodyDepthMax} levels`)
    } else if (unit === closeBrace || unit === closeBracket) depth--
    if (values > valuesMax) throw malformedJson(`The body has more than ${valuesMax} members and items`)
  }
}

/** Returns the end of a text that begins at a quote: its other quote, or the end of the body. */
function endOfText(text: string, start: number): number {
  let end = start + 1
  for (; end < text.length; end++) {
    const unit = text.charCodeAt(end)
    if (unit === quote) break
    if (unit === backslash) end++
  }
  return end
}

/**
 * Throws if members occur twice, names are special to JavaScript, or numbers and characters cannot be stored exactly.
 * The body is known to be JSON, so this only splits it into tokens. It goes unit by unit, since there may be a hundred
 * thousand.
 */
function onlyFaithful(text: string): void {
  const open: (Set<string> | null)[] = []
  let members: Set<string> | null = null
  let expectsName = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === quote) {
      const end = endOfText(text, at)
      const content = onlyText(text.slice(at, end + 1))
      if (expectsName && members) onlyNew(members, content)
      at = end
    } else if (unit === comma) expectsName = members !== null
    else if (unit === colon) expectsName = false
    else if (unit === openBrace || unit === openBracket) {
      members = unit === openBrace ? new Set() : null
      open.push(members)
      expectsName = members !== null
    } else if (unit === closeBrace || unit === closeBracket) {
      open.pop()
      members = open.at(-1) ?? null
      expectsName = false
    } else if (unit === minus || isDigit(unit)) {
      const start = at
      while (isOfNumber(text.charCodeAt(at + 1))) at++
      onlyExact(text.slice(start, at + 1))
    }
  }
}

const minus = 0x2d
const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39
/** Digits, signs, the point and the exponent. */
const isOfNumber = (unit: number): boolean =>
  isDigit(unit) || unit === minus || unit === 0x2b || unit === 0x2e || unit === 0x45 || unit === 0x65

/** Returns the value of a text token. Only an escape represents characters that UTF-8 and JSON cannot have. */
function onlyText(token: string): string {
  if (!token.includes('\\')) return token.slice(1, -1)
  const text = JSON.parse(token) as string
  if (text.includes('\0')) throw malformedJson('The body contains a NUL character, which cannot be stored')
  if (!text.isWellFormed()) throw malformedJson('The body contains half of a surrogate pair')
  return text
}

function onlyNew(members: Set<string>, name: string): void {
  if (name === '__proto__') throw malformedJson('The body has a member __proto__')
  if (members.has(name)) throw memberTwice(name)
  members.add(name)
}

/** Numbers with this many digits are always exact. */
const surelyKept = 15

/**
 * Throws unless the number is exact: its nearest double, in the shortest spelling, is the same number, and a whole one
 * is at most 2^53 - 1. So a computed 0.1 + 0.2 is a number with too many decimals, and is refused at its field.
 */
function onlyExact(token: string): void {
  if (token.length <= surelyKept && !/e/i.test(token)) return
  const value = Number(token)
  const isKept = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  if (!isKept || normalizeNumber(token) !== normalizeNumber(String(value)))
    throw malformedJson(`The number ${token.slice(0, 40)} cannot be kept exactly`)
}

/** Returns one spelling for each number, without its sign: significant digits, and the first one's power of ten. */
function normalizeNumber(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().replace(/^-/, '').split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = whole + fraction
  let [start, end] = [0, digits.length]
  // A loop, because /0+$/ would start again at each zero of a long number.
  while (end > 0 && digits[end - 1] === '0') end--
  while (start < end && digits[start] === '0') start++
  return start === end ? '0' : `${digits.slice(start, end)} ${whole.length - start + Number(exponent)}`
}
