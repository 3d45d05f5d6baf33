import { BadSignature } from './errors.ts'
import type { Change, TestEventName } from './types.gen.ts'
import type { ThinChange } from './wire.ts'

/** The event of a webhook: a change, whole or thin as the endpoint is set, or a test. */
export type WebhookEvent =
  | {
      [E in Change['event']]: {
        type: E
        timestamp: string
        data: Extract<Change, { event: E }> | Extract<ThinChange, { event: E }>
      }
    }[Change['event']]
  | { type: TestEventName; timestamp: string; data: { webhook_id: number; message: string } }

/** A request as the platform gives it, or its headers and the bytes of its body. */
export type WebhookRequest =
  | Request
  | {
      headers: Headers | { readonly [name: string]: string | readonly string[] | undefined }
      body: string | Uint8Array
    }

/** Milliseconds that a message may be old, or ahead of the clock. */
const toleranceMs = 5 * 60_000
const secretPrefix = 'whsec_'
const signatureVersion = 'v1,'

/**
 * Returns the event of a request. Throws BadSignature if none of the secrets signed it, or not within five minutes.
 * (Standard Webhooks 1.0)
 */
export async function verifyWebhook(
  request: WebhookRequest,
  secrets: string | readonly string[],
): Promise<WebhookEvent> {
  const keys = typeof secrets === 'string' ? [secrets] : secrets
  if (keys.length === 0 || keys.some((secret) => secret === '')) throw new TypeError('a webhook has a secret at least')
  const header = (name: string): string => {
    const { headers } = request
    const value = headers instanceof Headers ? headers.get(name) : headers[name]
    if (typeof value === 'string' && value !== '') return value
    throw new BadSignature(`the request has no header ${name}`)
  }
  const [id, sentAt, signatures] = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')]
  if (!/^\d{1,12}$/.test(sentAt) || Math.abs(Date.now() - Number(sentAt) * 1000) > toleranceMs) {
    throw new BadSignature('the message is not of these five minutes')
  }
  const body = request instanceof Request ? new Uint8Array(await request.arrayBuffer()) : bytesOf(request.body)
  const signed = concat(bytesOf(`${id}.${sentAt}.`), body)
  const given = signatures
    .split(' ')
    .flatMap((one) => (one.startsWith(signatureVersion) ? [fromBase64(one.slice(3))] : []))
  for (const secret of keys) {
    const key = await importKey(secret)
    for (const signature of given) {
      // The platform compares in constant time.
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) {
        return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
      }
    }
  }
  throw new BadSignature('none of the secrets signed the message')
}

function importKey(secret: string) {
  const raw = fromBase64(secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret)
  if (!raw || raw.length === 0) throw new TypeError('a secret of a webhook begins with whsec_ and goes on in Base64')
  return crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

const bytesOf = (body: string | Uint8Array): Uint8Array<ArrayBuffer> =>
  typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

/** Returns the bytes, or undefined if the text is no Base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
