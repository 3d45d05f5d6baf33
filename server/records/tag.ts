import { hash } from 'node:crypto'

/**
 * ETags. `tagKey` is the secret of the company: two keys of 64 characters, each a whole block of SHA-256. They are hashed
 * as HMAC does it, an outer hash over an inner one. `sql/records/tags.ts` has the same in SQL.
 * Decisions, Conditional requests.
 */

/** Returns the hash of a text, which nobody without the key can compare with a guess. */
export const keyedHash = (tagKey: string, text: string): string =>
  hash('sha256', tagKey.slice(64) + hash('sha256', tagKey.slice(0, 64) + text, 'hex'), 'base64url').slice(0, 22)

/** Returns the ETag of one representation of a record. If-Match compares only its version. */
export const recordTag = (tagKey: string, version: number, json: string): string =>
  `"${version}-${keyedHash(tagKey, `${version}-${json}`)}"`
