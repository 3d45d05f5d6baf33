import { bodyTypes, type DataRoute } from '#derive/routes.ts'
import type { Json } from '#registry/json.ts'
import { bodyDepthMax } from '#registry/limits.ts'
import { Refusal } from '#registry/refusals.ts'
import type { Body } from './call.ts'
import type { Headers } from './read-headers.ts'

/** The body of a create or update, or the refusal of one that cannot be read. Decisions, Bodies. */
export function readBody(body: Body, headers: Headers, route: Pick<DataRoute, 'operation'>): Json {
  if (body === 'too large') throw new Refusal('payload_too_large')
  onlyJson(headers, route)
  return readJson(textOf(body.bytes))
}

export function onlyJson({ contentType, contentEncoding }: Headers, { operation }: Pick<DataRoute, 'operation'>): void {
  const accepted = bodyTypes(operation)
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length)
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset)
  const isPlain = contentEncoding === undefined || contentEncoding.trim().toLowerCase() === 'identity'
  if (accepted.includes(type) && isUtf8 && isPlain) return
  throw new Refusal('unsupported_media_type', {
    // Only a body that is coded is told of codings (RFC 9110 12.5.3).
    ...(isPlain ? {} : { detail: 'Content-Encoding says that the body is coded; send it as it is.' }),
    headers: {
      Accept: accepted.join(', '),
      ...(operation === 'update' ? { 'Accept-Patch': accepted.join(', ') } : {}),
      ...(isPlain ? {} : { 'Accept-Encoding': 'identity' }),
    },
  })
}

/** JSON, exactly: what JSON.parse would keep silently altered is refused instead. */
export function readJson(text: string): Json {
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    throw unreadable(text.trim() === '' ? 'The body is empty' : `The body is not JSON: ${(error as Error).message}`)
  }
  onlyFaithful(text)
  return value
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw unreadable('The body is not valid UTF-8')
  }
}

// The text is known to be JSON, so this only has to tell its tokens apart.
// The last quote is optional, so that the pattern never goes back over a text that it has read.
const tokens = /[{}[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*|true|false|null/g

/** Members given twice, names that JavaScript treats specially, depth, numbers and characters that cannot be kept. */
function onlyFaithful(text: string): void {
  const open: (Set<string> | null)[] = []
  let name: string | undefined
  let expectsName = false
  for (const [token] of text.matchAll(tokens)) {
    const members = open.at(-1)
    switch (token[0]) {
      case '{':
      case '[':
        open.push(token === '{' ? new Set() : null)
        if (open.length > bodyDepthMax) throw unreadable(`The body is nested deeper than ${bodyDepthMax} levels`)
        expectsName = token === '{'
        break
      case '}':
      case ']':
        open.pop()
        expectsName = false
        break
      case ',':
        expectsName = members !== null && members !== undefined
        break
      case ':':
        expectsName = false
        break
      case '"':
        name = onlyText(token)
        if (expectsName && members) onlyNew(members, name)
        break
      case 't':
      case 'f':
      case 'n':
        break
      default:
        onlyExact(token)
    }
  }
}

function onlyText(token: string): string {
  const text = JSON.parse(token) as string
  if (text.includes('\0')) throw unreadable('The body contains a NUL character, which cannot be stored')
  if (!text.isWellFormed()) throw unreadable('The body contains half of a surrogate pair')
  return text
}

function onlyNew(members: Set<string>, name: string): void {
  if (name === '__proto__') throw unreadable('The body has a member __proto__')
  if (members.has(name)) throw unreadable(`The body has the member ${JSON.stringify(name.slice(0, 60))} twice`)
  members.add(name)
}

/** Digits that every number of so many keeps, whatever they are. */
const surelyKept = 15

/**
 * A number is kept where the double next to it, in its shortest spelling, is the same number, and a whole one up to
 * 2^53 - 1. So what another program worked out, 0.1 + 0.2, is a number with too many decimals and refused at its field.
 */
function onlyExact(token: string): void {
  if (token.length <= surelyKept && !/e/i.test(token)) return
  const value = Number(token)
  const isKept = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  if (!isKept || spelling(token) !== spelling(String(value)))
    throw unreadable(`The number ${token.slice(0, 40)} cannot be kept exactly`)
}

/** One spelling for each number, its sign aside: significant digits, and the power of ten that the first one stands for. */
function spelling(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().replace(/^-/, '').split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = whole + fraction
  let [start, end] = [0, digits.length]
  // Counted: /0+$/ would try at each zero of a long number.
  while (end > 0 && digits[end - 1] === '0') end--
  while (start < end && digits[start] === '0') start++
  return start === end ? '0' : `${digits.slice(start, end)} ${whole.length - start + Number(exponent)}`
}

const unreadable = (detail: string): Refusal => new Refusal('malformed_json', { detail: `${detail}.` })
