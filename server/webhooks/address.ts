import { invalidField } from '#registry/refusals.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { NotSentError } from '../outbound/sender.ts'
import { canonicalUrl } from '../service/webhook-input.ts'

const remedy =
  '; WEBHOOK_NETWORKS opens networks of your own, and "plumbline listen" sends to a program on this machine'

/**
 * Checks an address before it is stored. Throws a refusal of `url` if nothing would be sent to it. Only the operator
 * gets the addresses of the name in the message.
 */
export async function checkAddress(outbound: Outbound, url: string, toldTo: 'caller' | 'operator'): Promise<void> {
  try {
    await outbound.check(canonicalUrl(url))
  } catch (error) {
    if (!(error instanceof NotSentError)) throw error
    const why = toldTo === 'operator' && error.particulars ? error.particulars : error.message
    const message = `must be an address that webhooks may be sent to: ${why}${toldTo === 'operator' && error.failure === 'address' ? remedy : ''}`
    throw invalidField('url', 'unreachable', message)
  }
}
