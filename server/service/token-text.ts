import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { tokenDigits, tokenPrefix } from '#registry/tokens.ts'
import type { Claim } from '../fair/shares.ts'

/**
 * The text of a token and what can be told from it. Decisions, Tokens: company id (6 bytes), 26 random bytes,
 * CRC-32 of these (4 bytes), in hexadecimal. The company id routes a statement and proves nothing.
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

/** What a token says, or undefined for anything that is none; a typing error is seen before the database is asked. */
export function readTokenText(text: string): TokenText | undefined {
  if (!form.test(text)) return undefined
  const bytes = Buffer.from(text.slice(tokenPrefix.length), 'hex')
  if (bytes.readUInt32BE(32) !== crc32(bytes.subarray(0, 32))) return undefined
  return { companyId: bytes.readUIntBE(0, 6), hash: hashToken(text) }
}

/**
 * The company, and 48 of the random bits, of a token somewhere in a text. It is asked of every request before anything
 * else is: quick, and whether it is a token at all is for others to see.
 */
export function claimOfToken(text: string): Claim | undefined {
  const at = text.indexOf(tokenPrefix) + tokenPrefix.length
  if (at < tokenPrefix.length || text.length < at + tokenDigits) return undefined
  const [companyId, random] = [sixBytesAt(text, at), sixBytesAt(text, at + 12)]
  return companyId >= 0 && random >= 0 ? { companyId, random, channel: 'api' } : undefined
}

/** The number that twelve small hexadecimal digits write; negative where one of them is none. */
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

/** A text without the tokens that somebody put into it: a path, a name or a value. */
export const withoutTokens = (text: string): string => text.replaceAll(tokenIn, `${tokenPrefix}[removed]`)

/** As it is, or percent-encoded. */
const tokenIn = /plumb(?:_|%5f)live(?:_|%5f)[\w%]+/gi
