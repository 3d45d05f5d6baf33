import { isObject, type Json } from '#registry/json.ts'
import { bodyBytesMax } from '#registry/limits.ts'
import type { BodyState } from '#sql/system/call-details.ts'
import { withoutTokens } from '../service/token-text.ts'

/** What the log of calls keeps of a text that somebody sent or was answered. Decisions, Call log. */
export type Kept = { body: string | null; state: BodyState }

export const bodyBytesKept = 16 * 1024
/** What is longer is not looked through, and so not kept. */
const looseBytesMax = 64 * 1024
const answerLengthMax = 256 * 1024

export const leftOut: Kept = { body: null, state: 'left_out' }
const mask = '[masked]'

/** Names under which callers keep secrets; none is a field, so what has one is refused and must not be kept either. */
const secretWords = ['password', 'passwd', 'passphrase', 'secret', 'token', 'authorization', 'api_key', 'apikey']
const isSecret = (name: string): boolean => secretWords.some((word) => name.toLowerCase().endsWith(word))

/** A body of so many bytes that was read as this value, without what must not be kept. */
export function keptBody(value: Json, length: number, names: ReadonlySet<string>): Kept {
  return length > bodyBytesMax ? leftOut : keptJson(value, names)
}

function keptJson(value: Json, names: ReadonlySet<string>): Kept {
  const found = { masked: false }
  const text = JSON.stringify(without(value, names, found))
  return cut(text, found.masked)
}

/** A body that could not be read. What is no text, or none in UTF-8, cannot be looked through. */
export function keptBytes(bytes: Buffer, names: ReadonlySet<string>): Kept {
  if (bytes.length === 0) return { body: '', state: 'whole' }
  if (bytes.length > looseBytesMax) return leftOut
  const text = textOf(bytes)
  if (text === undefined) return leftOut
  try {
    return keptJson(JSON.parse(text) as Json, names)
  } catch {
    return mayHide(text, names) ? leftOut : cut(text, false)
  }
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** An answer of ours. Where its resource has nothing that is masked, it is not read for that. */
export function keptAnswer(text: string, names: ReadonlySet<string>): Kept {
  if (names.size === 0 || text === '') return cut(text.slice(0, bodyBytesKept + 1), false)
  return text.length > answerLengthMax ? leftOut : keptJson(JSON.parse(text) as Json, names)
}

/** What cannot be read is kept only where none of the names stands in it, however it is written. */
function mayHide(text: string, names: ReadonlySet<string>): boolean {
  if (text.includes('\0')) return true
  const plain = text
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .toLowerCase()
  return [...names, ...secretWords].some((name) => plain.includes(name))
}

function without(value: Json, names: ReadonlySet<string>, found: { masked: boolean }): Json {
  if (Array.isArray(value)) return value.map((item) => without(item, names, found))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      // That there is nothing is no secret.
      if (member === null || !(names.has(name) || isSecret(name))) return [name, without(member, names, found)]
      found.masked = true
      return [name, mask]
    }),
  )
}

function cut(text: string, masked: boolean): Kept {
  const clean = storable(text)
  const isMasked = masked || clean.includes('[removed]')
  const bytes = Buffer.from(clean)
  if (bytes.length <= bodyBytesKept) return { body: clean, state: isMasked ? 'masked' : 'whole' }
  // A character that the cut goes through is waited for, and so dropped.
  return { body: new TextDecoder().decode(bytes.subarray(0, bodyBytesKept), { stream: true }), state: 'cut' }
}

/** A text as PostgreSQL takes it, without tokens. */
export const storable = (text: string): string => withoutTokens(text.toWellFormed().replaceAll('\0', '�'))

/** A query without tokens, however they are encoded, and without what stands under the name of a secret. */
export function keptQuery(query: string, names: ReadonlySet<string>): { query: string; isMasked: boolean } {
  const kept = query
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=')
      const name = decoded(at < 0 ? pair : pair.slice(0, at))
      const value = at < 0 ? '' : decoded(pair.slice(at + 1))
      if (at >= 0 && (names.has(name) || isSecret(name))) return `${encodeURIComponent(name)}=${mask}`
      return withoutTokens(name + value) === name + value ? pair : '[removed]'
    })
    .join('&')
  return { query: storable(kept), isMasked: kept !== query }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
