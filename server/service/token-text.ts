import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { tokenDigits, tokenPrefix } from '#registry/token-form.ts'

/**
 * The text of a token and what can be told from it. Decisions, Tokens: company id (6 bytes), 26 random bytes,
 * CRC-32 of these (4 bytes), in hexadecimal. The company id routes a statement and proves nothing.
 */
export type TokenText = { companyId: number; hash: Buffer }

const form = new RegExp(`^${tokenPrefix}[0-9a-f]{${tokenDigits}}$`)

export function makeToken(companyId: number): string {
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

export const hashToken = (text: string): Buffer => hash('sha256', text, 'buffer')

/** A secret as the database may hold it: nonce, authentication tag and AES-256-GCM of the text, bound to its row. */
export function sealText(secret: string, text: string, boundTo: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(secret), nonce).setAAD(Buffer.from(boundTo))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Throws where the secret is another one than it was sealed with, or the row another's. */
export function openText(secret: string, sealed: Buffer, boundTo: string): string {
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(secret), sealed.subarray(0, 12))
    .setAAD(Buffer.from(boundTo))
    .setAuthTag(sealed.subarray(12, 28))
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8')
}

export const sealToken = (secret: string, text: string, companyId: number, tokenId: number): Buffer =>
  sealText(secret, text, ofToken(companyId, tokenId))

export const openSealed = (secret: string, sealed: Buffer, companyId: number, tokenId: number): string =>
  openText(secret, sealed, ofToken(companyId, tokenId))

const sealingKey = (secret: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', 'plumbline token seal', 32))

const ofToken = (companyId: number, tokenId: number): string => `${companyId}:${tokenId}`
