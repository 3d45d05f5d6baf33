import { invalidField } from '#registry/refusals.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { NotSent } from '../outbound/sender.ts'

/** Looks at an address before it is kept; refused, with the reason, where nothing would be sent to it. */
export async function checkAddress(outbound: Outbound, url: string): Promise<void> {
  try {
    await outbound.check(url.trim())
  } catch (error) {
    if (!(error instanceof NotSent)) throw error
    const message = `must be an address that webhooks may be sent to: ${error.message}`
    throw invalidField('url', 'unreachable', message)
  }
}
