import { createHmac, hash } from 'node:crypto'
import { Refusal } from '#registry/refusals.ts'
import { type AnswerRow, claimForSession, findAnswer, keepAnswer } from '#sql/system/answers.ts'
import { lockOf } from '../pipeline/claim-key.ts'
import { openSealed, type SealingKeys, seal } from '../service/seal.ts'
import type { Session } from '../service/session.ts'
import type { Transaction } from '../store/database.ts'
import type { ConsoleReply, ConsoleRoute, Finished } from './asked.ts'
import { replyTo } from './reply.ts'

/** A write of the interface with its key, and what the key is bound to. */
export type KeyedWrite = {
  session: Session
  key: string
  route: ConsoleRoute
  path: string
  bytes: Buffer
  requestId: string
  secret: SealingKeys
}

/**
 * Does a write at most once for its key: what was done and what a retry will hear stand or fall together. Only successes
 * are kept; after a refusal nothing has happened, and the form goes on with its key. A key is the account's own, and no
 * caller of /v1 can meet it. Decisions, Console.
 */
export async function oncePerKey<T extends Finished>(
  transaction: Transaction,
  write: KeyedWrite,
  work: () => Promise<T>,
): Promise<T | ConsoleReply> {
  const { companyId } = write.session.actor
  const key = storedKey(write)
  const [claim] = await transaction.run<{ claimed: boolean }>(claimForSession(lockOf(companyId, key)))
  if (!claim?.claimed) throw new Refusal('idempotency_in_progress', { headers: { 'Retry-After': '1' } })
  const [earlier] = await transaction.run<AnswerRow>(findAnswer(companyId, key))
  if (earlier) return replayed(write, key, earlier)

  const done = await work()
  const finished: Finished = done
  const reply = 'data' in finished ? replyTo(write.route, finished) : finished
  // A session that begins is for the browser that asked, and an export is no write.
  if (reply.session !== undefined || typeof reply.body !== 'string') return done
  const [secret] = await write.secret.all()
  const { status, headers } = reply
  await transaction.run(
    keepAnswer(companyId, key, {
      fingerprint: fingerprint(secret, write),
      status,
      body: await kept(transaction, write, key, reply.body),
      location: headers.Location ?? null,
      etag: headers.ETag ?? null,
      request_id: write.requestId,
      write_id: write.session.actor.writeId,
    }),
  )
  return done
}

/** A blank cannot be in a key that a caller of /v1 sends. */
const storedKey = ({ session, key }: KeyedWrite): string =>
  `console ${hash('sha256', `${session.row.account_id} ${key}`)}`

/** Bodies hold passwords, so what they are told by is made with the service's key. */
const fingerprint = (secret: string, { route, path, bytes }: KeyedWrite): Buffer =>
  createHmac('sha256', secret).update(`console write:${route.method} ${path}\n`).update(bytes).digest()

async function replayed(write: KeyedWrite, key: string, earlier: AnswerRow): Promise<ConsoleReply> {
  const secrets = await write.secret.all()
  if (!secrets.some((secret) => fingerprint(secret, write).equals(earlier.fingerprint)))
    throw new Refusal('idempotency_key_reuse', { detail: savedBefore })
  const { status, location, etag } = earlier
  const { headers } = replyTo(write.route, { data: null })
  return {
    status,
    headers: {
      ...headers,
      ...(location === null ? {} : { Location: location }),
      ...(etag === null ? {} : { ETag: etag }),
      'Idempotency-Replayed': 'true',
    },
    body: await opened(write, key, earlier.body),
  }
}

const savedBefore =
  'An earlier try of this form has arrived and was saved, with what it said then. Look at what is stored before you send it changed.'

/** An answer with a secret in it is sealed, as the secret itself is. */
async function kept(transaction: Transaction, { route, secret, session }: KeyedWrite, key: string, body: string) {
  if (!route.showsSecret) return body
  const sealed = await seal(transaction, secret, { text: body, boundTo: boundTo(session, key) })
  return sealed.toString('base64')
}

/** Where the sealing key is another one by now, what was answered cannot be told again. */
async function opened({ route, secret, session }: KeyedWrite, key: string, body: string): Promise<string> {
  if (!route.showsSecret) return body
  return openSealed(secret, Buffer.from(body, 'base64'), boundTo(session, key)).catch(() => {
    throw new Refusal('outcome_unknown', {
      detail: 'It was done, and its answer can no longer be shown. Look at what is stored.',
    })
  })
}

const boundTo = ({ actor }: Session, key: string): string => `answer ${actor.companyId}:${key}`
