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
/** Bytes of an HMAC with SHA-256. */
const signatureBytes = 32
/** Longest header in characters: more than eighty signatures. The service sends two at most. */
const headerLengthMax = 4096
/** Largest body in bytes. A change has a record of 1 MB at most, before and after it. */
const bodyBytesMax = 8 * 1024 * 1024

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
    if (typeof value !== 'string' || value === '') throw new BadSignature(`the request has no header ${name}`)
    if (value.length > headerLengthMax) throw new BadSignature(`the header ${name} is too long`)
    return value
  }
  const [id, sentAt, signatures] = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')]
  if (!/^\d{1,12}$/.test(sentAt) || Math.abs(Date.now() - Number(sentAt) * 1000) > toleranceMs) {
    throw new BadSignature('the message is not of these five minutes')
  }
  const given = signatures
    .split(' ')
    .flatMap((one) => (one.startsWith(signatureVersion) ? [fromBase64(one.slice(signatureVersion.length))] : []))
    .filter((one) => one?.length === signatureBytes)
  if (given.length === 0) throw new BadSignature('the request has no signature of the version v1')
  const body = request instanceof Request ? await readBody(request) : checkedBody(request.body)
  const signed = concat([bytesOf(`${id}.${sentAt}.`), body])
  for (const secret of keys) {
    // One computation for each secret, whatever the request sends.
    const own = new Uint8Array(await crypto.subtle.sign('HMAC', await importKey(secret), signed))
    if (given.some((one) => one !== undefined && isSame(one, own))) {
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    }
  }
  throw new BadSignature('none of the secrets signed the message')
}

function importKey(secret: string) {
  const raw = fromBase64(secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret)
  if (!raw || raw.length === 0) throw new TypeError('a secret of a webhook begins with whsec_ and goes on in Base64')
  return crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

/** Compares signatures in a time that does not depend on where they differ. */
const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.reduce((difference, byte, index) => difference | (byte ^ (other[index] ?? 0)), 0) === 0

const createTooLarge = (): BadSignature => new BadSignature(`the body has more than ${bodyBytesMax} bytes`)

/** Reads a body up to its bound: nobody knows yet who sends it. */
async function readBody({ headers, body }: Request): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(headers.get('content-length')) > bodyBytesMax) throw createTooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body?.getReader()
  for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
    size += read.value.length
    if (size > bodyBytesMax) {
      await reader?.cancel()
      throw createTooLarge()
    }
    chunks.push(read.value)
  }
  return concat(chunks)
}

function checkedBody(body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  if (body.length > bodyBytesMax) throw createTooLarge()
  const bytes = bytesOf(body)
  if (bytes.length > bodyBytesMax) throw createTooLarge()
  return bytes
}

const bytesOf = (body: string | Uint8Array): Uint8Array<ArrayBuffer> =>
  typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((size, { length }) => size + length, 0))
  let end = 0
  for (const part of parts) {
    all.set(part, end)
    end += part.length
  }
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
