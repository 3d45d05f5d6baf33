import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { tokenDigits, tokenPrefix } from '#registry/tokens.ts'
import type { Claim } from '../fair/shares.ts'

/**
 * A token as parsed from its text. Decisions, Tokens: company id (6 bytes), 26 random bytes, CRC-32 of these (4 bytes),
 * in hexadecimal. The company id routes a statement and proves nothing.
 */
export type TokenText = { companyId: number; hash: Buffer }

const form = new RegExp(`^${tokenPrefix}[0-9a-f]{${tokenDigits}}$`)

export function createToken(companyId: number): string {
  const bytes = Buffer.alloc(36)
  bytes.writeUIntBE(companyId, 0, 6)
  randomBytes(26).copy(bytes, 6)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 32)), 32)
  return tokenPrefix + bytes.toString('hex')
}

/** Parses the text of a token; undefined for any other text. A typing error is found before any statement. */
export function readTokenText(text: string): TokenText | undefined {
  if (!form.test(text)) return undefined
  const bytes = Buffer.from(text.slice(tokenPrefix.length), 'hex')
  if (bytes.readUInt32BE(32) !== crc32(bytes.subarray(0, 32))) return undefined
  return { companyId: bytes.readUIntBE(0, 6), hash: hashToken(text) }
}

/** Returns company and 48 random bits of a token in a text, unverified. Runs first for every request, so quick. */
export function claimOfToken(text: string): Claim | undefined {
  const at = text.indexOf(tokenPrefix) + tokenPrefix.length
  if (at < tokenPrefix.length || text.length < at + tokenDigits) return undefined
  const [companyId, random] = [sixBytesAt(text, at), sixBytesAt(text, at + 12)]
  return companyId >= 0 && random >= 0 ? { companyId, random, channel: 'api' } : undefined
}

/** Returns the number of twelve lower-case hexadecimal digits; negative if one of them is no digit. */
function sixBytesAt(text: string, at: number): number {
  let number = 0
  for (let index = at; index < at + 12; index++) {
    const code = text.charCodeAt(index)
    const digit = code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 102 ? code - 87 : Number.NaN
    number = number * 16 + digit
  }
  return Number.isNaN(number) ? -1 : number
}

export const hashToken = (text: string): Buffer => hash('sha256', text, 'buffer')

/** Returns a path, a name or a value without the tokens in it. */
export const withoutTokens = (text: string): string => text.replaceAll(tokenIn, `${tokenPrefix}[removed]`)

/** A token as it is, or percent-encoded. */
const tokenIn = /plumb(?:_|%5f)live(?:_|%5f)[\w%]+/gi
