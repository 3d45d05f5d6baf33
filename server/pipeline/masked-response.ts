import type { KeepableNames } from '#derive/kept-members.ts'
import { isObject, type Json } from '#registry/json.ts'
import type { BodyState } from '#sql/system/call-details.ts'
import { withoutTokens } from '../service/token-text.ts'

/** The form in which the log of calls stores a body. Decisions, Call log. */
export type MaskedResponse = { body: string | null; state: BodyState }

export const bodyBytesKept = 16 * 1024
/** Longer bodies are not masked, and so not stored. */
const looseBytesMax = 64 * 1024
const answerLengthMax = 256 * 1024

export const leftOut: MaskedResponse = { body: null, state: 'left_out' }
const mask = '[masked]'

/** Returns a parsed body with the values that may be stored. */
export function keptJson(value: Json, keep: KeepableNames): MaskedResponse {
  const found = { masked: false }
  const text = JSON.stringify(maskUnknown(value, keep, found))
  return cutText(text, found.masked)
}

/** Returns a body that was not parsed. Without JSON in UTF-8, or nested too deeply, its members cannot be masked. */
export function keptBytes(bytes: Buffer, keep: KeepableNames): MaskedResponse {
  if (bytes.length === 0) return { body: '', state: 'whole' }
  if (bytes.length > looseBytesMax) return leftOut
  try {
    return keptJson(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json, keep)
  } catch {
    return leftOut
  }
}

/** Returns a response body with the values that may be stored. */
export function maskResponse(text: string, keep: KeepableNames): MaskedResponse {
  if (text === '') return { body: '', state: 'whole' }
  return text.length > answerLengthMax ? leftOut : keptJson(JSON.parse(text) as Json, keep)
}

function maskUnknown(value: Json, keep: KeepableNames, found: { masked: boolean }): Json {
  if (Array.isArray(value)) return value.map((item) => maskUnknown(item, keep, found))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      // A null is no secret.
      if (member === null || keep.members.has(name)) return [name, maskUnknown(member, keep, found)]
      found.masked = true
      return [name, mask]
    }),
  )
}

function cutText(text: string, masked: boolean): MaskedResponse {
  const clean = formatStorable(text)
  const isMasked = masked || clean.includes('[removed]')
  const bytes = Buffer.from(clean)
  if (bytes.length <= bodyBytesKept) return { body: clean, state: isMasked ? 'masked' : 'whole' }
  // With `stream`, the decoder keeps back a character that is cut through, and so drops it.
  return { body: new TextDecoder().decode(bytes.subarray(0, bodyBytesKept), { stream: true }), state: 'cut' }
}

/** Returns a text that PostgreSQL accepts, without tokens. */
export const formatStorable = (text: string): string => withoutTokens(text.toWellFormed().replaceAll('\0', '�'))

/** Returns a query without tokens, however they are encoded, and with the values that may be stored. */
export function keptQuery(query: string, keep: KeepableNames): { query: string; isMasked: boolean } {
  const kept = query
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=')
      const name = decodeText(at < 0 ? pair : pair.slice(0, at))
      const value = at < 0 ? '' : decodeText(pair.slice(at + 1))
      if (at >= 0 && !keep.parameters.has(name)) return `${encodeURIComponent(name)}=${mask}`
      return withoutTokens(name + value) === name + value ? pair : '[removed]'
    })
    .join('&')
  return { query: formatStorable(kept), isMasked: kept !== query }
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
