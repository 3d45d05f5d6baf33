import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { holdKeys } from '#sql/system/seal.ts'
import type { Transaction } from './database.ts'

/** The keys that seal secrets. They are read for each use, because they may change while the service runs. */
export type SealingKeys = {
  current(): Promise<string>
  /** Returns all keys that may open a seal, the current one first. */
  all(): Promise<[string, ...string[]]>
}

export const oneKey = (key: string): SealingKeys => ({ current: async () => key, all: async () => [key] })

/**
 * A column of sealed secrets: the table, its id beside the company's, the column, and the text each seal is bound to.
 * The bound text keeps a row from using another's seal.
 */
export type SealedColumn = {
  table: string
  id: string
  column: string
  boundTo: (companyId: number, id: number) => string
}

const sealedColumn = (table: string, id: string, column: string, purpose: string): SealedColumn => ({
  ...{ table, id, column },
  boundTo: (companyId, rowId) => `${purpose}${companyId}:${rowId}`,
})

export const sealedToken = sealedColumn('tokens', 'id', 'sealed', '')
export const sealedDemoPassword = sealedColumn('demo_accounts', 'account_id', 'sealed', 'demo password ')
export const sealedWebhookSecret = sealedColumn('webhook_endpoints', 'id', 'sealed', 'webhook secret ')
/** The secret before a rotation. It is the same text in another place, so it is bound to that. */
export const sealedFormerSecret = sealedColumn('webhook_endpoints', 'id', 'previous_sealed', 'former webhook secret ')
export const allSealed: readonly SealedColumn[] = [
  sealedToken,
  sealedDemoPassword,
  sealedWebhookSecret,
  sealedFormerSecret,
]

/** Seals a secret of a row. A change of keys waits for the transaction, so that no seal keeps a key that is gone. */
export async function seal(
  transaction: Transaction,
  keys: SealingKeys,
  { text, boundTo }: { text: string; boundTo: string },
): Promise<Buffer> {
  await transaction.run(holdKeys())
  return sealText(await keys.current(), text, boundTo)
}

/** Opens a seal. Throws if no key opens it or it is of another row. Keys stay the same under `holdKeys`. */
export async function openSealed(keys: SealingKeys, sealed: Buffer, boundTo: string): Promise<string> {
  for (const key of await keys.all()) {
    const text = tryOpen(key, sealed, boundTo)
    if (text !== undefined) return text
  }
  throw new Error('no key opens what is sealed')
}

/** Returns the sealed secret for the database: nonce, authentication tag, and the text encrypted by AES-256-GCM. */
export function sealText(key: string, text: string, boundTo: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', deriveSealKey(key), nonce).setAAD(Buffer.from(boundTo))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Returns undefined if the text was sealed with another key or for another row. */
export function tryOpen(key: string, sealed: Buffer, boundTo: string): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', deriveSealKey(key), sealed.subarray(0, 12))
      .setAAD(Buffer.from(boundTo))
      .setAuthTag(sealed.subarray(12, 28))
    return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

const deriveSealKey = (key: string): Buffer => derivedKey(key, 'plumbline token seal')

/** Derives a key of its own for each purpose. */
export const derivedKey = (key: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', purpose, 32))
