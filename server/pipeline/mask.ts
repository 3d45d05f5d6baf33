import type { KeepableNames } from '#derive/kept-members.ts'
import { isObject, type Json } from '#registry/json.ts'
import type { BodyState } from '#sql/system/call-details.ts'
import { withoutTokens } from '../service/token-text.ts'

/** What the log of calls stores of requests and responses: no tokens, and no values of unknown members. Decisions, Call log. */

export type MaskedBody = { body: string | null; state: BodyState }

export const bodyBytesKept = 16 * 1024
/** Longer bodies are not masked, and so not stored. */
const looseBytesMax = 64 * 1024
const answerLengthMax = 256 * 1024

export const leftOut: MaskedBody = { body: null, state: 'left_out' }
const mask = '[masked]'

/** Returns a parsed body with the values that may be stored. */
export function maskJson(value: Json, keep: KeepableNames): MaskedBody {
  const state = { isMasked: false }
  const text = JSON.stringify(maskUnknown(value, keep, state))
  return cutText(text, state.isMasked)
}

/** Returns a body that was not parsed. Without JSON in UTF-8, or nested too deeply, its members cannot be masked. */
export function maskBytes(bytes: Buffer, keep: KeepableNames): MaskedBody {
  if (bytes.length === 0) return { body: '', state: 'whole' }
  if (bytes.length > looseBytesMax) return leftOut
  try {
    return maskJson(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json, keep)
  } catch {
    return leftOut
  }
}

/** Returns the body of a response with the values that may be stored. Its value is made if the text is short enough. */
export function maskResponse(text: string, value: () => Json, keep: KeepableNames): MaskedBody {
  if (text === '') return { body: '', state: 'whole' }
  return text.length > answerLengthMax ? leftOut : maskJson(value(), keep)
}

function maskUnknown(value: Json, keep: KeepableNames, state: { isMasked: boolean }): Json {
  if (Array.isArray(value)) return value.map((item) => maskUnknown(item, keep, state))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (member === undefined) return []
      // A null is no secret.
      if (member === null || keep.members.has(name)) return [[name, maskUnknown(member, keep, state)]]
      state.isMasked = true
      return [[name, mask]]
    }),
  )
}

function cutText(text: string, hasMasked: boolean): MaskedBody {
  const clean = formatStorable(text)
  const isMasked = hasMasked || clean.includes('[removed]')
  const bytes = Buffer.from(clean)
  if (bytes.length <= bodyBytesKept) return { body: clean, state: isMasked ? 'masked' : 'whole' }
  // With `stream`, the decoder keeps back a character that is cut through, and so drops it.
  return { body: new TextDecoder().decode(bytes.subarray(0, bodyBytesKept), { stream: true }), state: 'cut' }
}

/** Returns a text that PostgreSQL accepts, without tokens. */
export const formatStorable = (text: string): string => withoutTokens(text.toWellFormed().replaceAll('\0', '�'))

/** Returns a query without tokens, however they are encoded, and with the values that may be stored. */
export function maskQuery(query: string, keep: KeepableNames): { query: string; isMasked: boolean } {
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
