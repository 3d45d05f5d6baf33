import { randomBytes } from 'node:crypto'
import { Refusal } from '#registry/refusals.ts'
import { holdKeys } from '#sql/system/seal.ts'
import { type SecretRow, secretsOf } from '#sql/system/webhooks.ts'
import type { Transaction } from '../store/database.ts'
import { openSealed, type SealingKeys, sealedFormerSecret, sealedWebhookSecret } from '../store/seal.ts'

/** The secrets that sign requests to an endpoint, in the form of Standard Webhooks. */

const secretBytes = 32

export const createSecret = (): string => `whsec_${randomBytes(secretBytes).toString('base64')}`

/** Returns whether a text is a secret that can sign messages. */
export const isSecret = (text: string): boolean =>
  /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) && bytesOf(text) >= 24 && bytesOf(text) <= 64

const bytesOf = (secret: string): number => Buffer.from(secret.slice('whsec_'.length), 'base64').length

/** Returns the secrets that sign at a moment: the current one first, then the former one while it still signs. */
export async function openSecrets(
  transaction: Transaction,
  keys: SealingKeys,
  { companyId, id, now }: { companyId: number; id: number; now: Date },
): Promise<string[]> {
  await transaction.run(holdKeys())
  const [row] = await transaction.run<SecretRow>(secretsOf(companyId, id, now))
  if (!row) throw new Refusal('not_found')
  const former = row.previous_sealed
  return [
    await openSealed(keys, row.sealed, sealedWebhookSecret.boundTo(companyId, id)),
    ...(former ? [await openSealed(keys, former, sealedFormerSecret.boundTo(companyId, id))] : []),
  ]
}
