import { createHmac, hash } from 'node:crypto'
import { Refusal } from '#registry/refusals.ts'
import type { Session } from '../service/session.ts'
import { openSealed, type SealingKeys, seal } from '../store/seal.ts'
import { type KeyPolicy, lockOf } from '../writes/idempotency.ts'
import type { AnyResult, ChangeOptions, ConsoleResult, IncomingRequest } from './operation-request.ts'
import { replyTo } from './response.ts'

type KeyedWrite = Pick<IncomingRequest, 'route' | 'path' | 'requestId'> & {
  companyId: number
  accountId: number
  /** The key as sent. */
  sent: string
  bytes: Buffer
  mayReplay: ChangeOptions['mayReplay']
}

/**
 * Returns the key policy of a write of the console. Only successes are stored; after a refusal the form continues with
 * its key. A key belongs to the account. Its stored form has a blank, which no key of /v1 has. Decisions, Console
 * pages.
 */
export async function keyOfWrite<T extends AnyResult>(
  secret: SealingKeys,
  { companyId, accountId, sent, route, path, bytes, requestId, mayReplay }: KeyedWrite,
): Promise<KeyPolicy<T | ConsoleResult, Session>> {
  const key = `console ${hash('sha256', `${accountId} ${sent}`)}`
  const boundTo = `answer ${companyId}:${key}`
  // Bodies contain passwords, so their fingerprint is made with the service's key.
  const fingerprint = (secret: string): Buffer =>
    createHmac('sha256', secret).update(`console write:${route.method} ${path}\n`).update(bytes).digest()
  const [current, ...former] = await secret.all()
  return {
    key,
    lock: lockOf(companyId, key),
    fingerprints: [fingerprint(current), ...former.map(fingerprint)],
    reuseDetail: savedBefore,
    async keep(result, transaction, { actor }) {
      const finished: AnyResult = result
      const { status, headers, body, session } = 'data' in finished ? replyTo(route, finished) : finished
      // A new session belongs to the browser of the request, and an export is no write.
      if (session !== undefined || typeof body !== 'string') return undefined
      const stored = { status, location: headers.Location ?? null, etag: headers.ETag ?? null }
      // An answer with a secret is sealed, like the secret itself.
      const sealed = route.showsSecret ? await seal(transaction, secret, { text: body, boundTo }) : undefined
      return { ...stored, body: sealed?.toString('base64') ?? body, request_id: requestId, write_id: actor.writeId }
    },
    async replay({ status, body, location, etag }, transaction, session): Promise<ConsoleResult> {
      const headers = {
        ...replyTo(route, { data: null }).headers,
        ...(location === null ? {} : { Location: location }),
        ...(etag === null ? {} : { ETag: etag }),
        'Idempotency-Replayed': 'true',
      }
      if (!route.showsSecret) return { status, headers, body }
      const opened = await openSealed(secret, Buffer.from(body, 'base64'), boundTo).catch(refuseForgotten)
      await (mayReplay ?? refuseForgotten)(transaction, session, opened)
      return { status, headers, body: opened }
    },
  }
}

const savedBefore =
  'This form has been saved before, with other values than it has now. Look at what is stored before you save it again.'

/** Throws, because the answer was stored under another sealing key, or nothing says who may be shown it again. */
function refuseForgotten(): never {
  const detail = 'The change was made, but its answer can no longer be shown. Look at what is stored.'
  throw new Refusal('outcome_unknown', { detail })
}
