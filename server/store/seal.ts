import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { holdKeys } from '#sql/system/seal.ts'
import type { Transaction } from './database.ts'

/** The keys that seal secrets, as they are this moment: they may be changed while the service runs. */
export type SealingKeys = {
  /** Seals whatever is sealed from now on. */
  current(): Promise<string>
  /** All that may open what is sealed, the current one first. */
  all(): Promise<[string, ...string[]]>
}

export const oneKey = (key: string): SealingKeys => ({ current: async () => key, all: async () => [key] })

/**
 * Where secrets are sealed: the table, its id beside the company's, the column, and what each seal is bound to, so that no
 * row passes off another's.
 */
export type SealedColumn = {
  table: string
  id: string
  column: string
  boundTo: (companyId: number, id: number) => string
}

export const sealedToken: SealedColumn = {
  ...{ table: 'tokens', id: 'id', column: 'sealed' },
  boundTo: (company, id) => `${company}:${id}`,
}
export const sealedDemoPassword: SealedColumn = {
  ...{ table: 'demo_accounts', id: 'account_id', column: 'sealed' },
  boundTo: (company, id) => `demo password ${company}:${id}`,
}
export const sealedWebhookSecret: SealedColumn = {
  ...{ table: 'webhook_endpoints', id: 'id', column: 'sealed' },
  boundTo: (company, id) => `webhook secret ${company}:${id}`,
}
/** The one that was rotated away. It is the same text in another place, so it is bound to that. */
export const sealedFormerSecret: SealedColumn = {
  ...{ table: 'webhook_endpoints', id: 'id', column: 'previous_sealed' },
  boundTo: (company, id) => `former webhook secret ${company}:${id}`,
}
export const allSealed: readonly SealedColumn[] = [
  sealedToken,
  sealedDemoPassword,
  sealedWebhookSecret,
  sealedFormerSecret,
]

/** Seals a secret of a row. A change of keys waits for the transaction, so that none is left under a key that is gone. */
export async function seal(
  transaction: Transaction,
  keys: SealingKeys,
  { text, boundTo }: { text: string; boundTo: string },
): Promise<Buffer> {
  await transaction.run(holdKeys())
  return sealText(await keys.current(), text, boundTo)
}

/** Throws where no key opens it, or the row is another's. Where keys may change meanwhile, the row is read under `holdKeys`. */
export async function openSealed(keys: SealingKeys, sealed: Buffer, boundTo: string): Promise<string> {
  for (const key of await keys.all()) {
    const text = tryOpen(key, sealed, boundTo)
    if (text !== undefined) return text
  }
  throw new Error('no key opens what is sealed')
}

/** The secret as the database may hold it: nonce, authentication tag and AES-256-GCM of the text. */
export function sealText(key: string, text: string, boundTo: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', deriveSealKey(key), nonce).setAAD(Buffer.from(boundTo))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Undefined where it was sealed with another key, or for another row. */
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

/** A key of its own for each purpose. */
export const derivedKey = (key: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', purpose, 32))
