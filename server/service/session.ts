import { createHash, randomBytes } from 'node:crypto'
import { lackedRights } from '#derive/visible.ts'
import { Refusal } from '#registry/refusals.ts'
import type { LogAuthor, RequestOrigin } from '#sql/author.ts'
import { closeGate } from '#sql/system/locks.ts'
import {
  deleteSession,
  deleteSessionById,
  deleteSessionsOf,
  holdAccount,
  insertSession,
  type SessionKey,
  type SessionOrigin,
  type SessionRow,
  selectSession,
  touchSession,
} from '#sql/system/sessions.ts'
import type { Claim } from '../fair/shares.ts'
import { type Actor, newWriteId } from '../records/actor.ts'
import type { Database, Transaction } from '../store/database.ts'
import { auditSessions } from './audit-log.ts'

/** The session of a signed-in account, with its current rights. It is not used beyond the request. */
export type Session = { key: SessionKey; actor: Actor; row: SessionRow }

/**
 * Begins a session. Returns its text for the browser: the company (6 bytes) and 256 random bits. The company leads the
 * statement to one place and proves nothing; the hash must match. Returns undefined if the account is disabled, or its
 * password no longer has `passwordHash`. Decisions, Console.
 */
export async function beginSession(
  transaction: Transaction,
  { companyId, accountId }: { companyId: number; accountId: number },
  origin: SessionOrigin,
  passwordHash: string | null = null,
): Promise<{ id: number; text: string } | undefined> {
  const bytes = Buffer.alloc(38)
  bytes.writeUIntBE(companyId, 0, 6)
  randomBytes(32).copy(bytes, 6)
  const text = bytes.toString('base64url')
  const key = readSessionText(text) as SessionKey
  const [account] = await transaction.run(holdAccount(companyId, accountId, passwordHash))
  if (!account) return undefined
  const [begun] = await transaction.run<{ id: number }>(insertSession(key, accountId, origin))
  return begun && { id: begun.id, text }
}

/** Parses the text of a session; undefined for any other text. */
function readSessionText(text: string | undefined): SessionKey | undefined {
  if (text === undefined || !/^[\w-]{51}$/.test(text)) return undefined
  const companyId = Buffer.from(text, 'base64url').readUIntBE(0, 6)
  return { companyId, idHash: createHash('sha256').update(text).digest() }
}

/** Returns the company and 48 of the random bits of what may be a session. They are not verified; see `Shares`. */
export function claimOfSession(text: string | undefined): Claim | undefined {
  if (text?.length !== 51) return undefined
  const bytes = Buffer.from(text.slice(0, 16), 'base64url')
  if (bytes.length !== 12) return undefined
  return { companyId: bytes.readUIntBE(0, 6), random: bytes.readUIntBE(6, 6), channel: 'console' }
}

/**
 * Returns the live session of a request. Throws if there is none, it is over, or its account is disabled. `isPlain`:
 * the cookie lacks the prefix that it should have. Then only a session that began without one counts.
 */
export async function readLiveSession(database: Database, text: string | undefined, isPlain = false): Promise<Session> {
  const key = readSessionText(text)
  const [row] = key ? await database.read<SessionRow>(selectSession(key)) : []
  if (!key || !row || (isPlain && !row.plain_name)) throw notSignedIn()
  if (row.stale) await database.read(touchSession(key))
  return sessionOf(key, row)
}

/** Returns the session of a row. Throws if there is none: the session is over, or its account is disabled. */
export function sessionOf(key: SessionKey, row: SessionRow | undefined): Session {
  if (!row) throw notSignedIn()
  return {
    key,
    row,
    actor: {
      companyId: key.companyId,
      accountId: row.account_id,
      tokenId: null,
      channel: 'console',
      writeId: newWriteId(),
      lacksRights: lackedRights(row.permissions),
      tagKey: row.tag_key,
      mayDo: (permission) => needPermission({ row }, permission),
    },
  }
}

export async function endSession(database: Database, text: string | undefined, from: RequestOrigin): Promise<void> {
  const key = readSessionText(text)
  if (!key) return
  const end = async (transaction: Transaction): Promise<void> => {
    transaction.send(closeGate(key.companyId))
    const [ended] = await transaction.run<{ id: number; account_id: number }>(deleteSession(key))
    if (!ended) return
    const accountId = ended.account_id
    const actor = signedInAs({ companyId: key.companyId, accountId }, from)
    await auditSessions(transaction, actor, { accountId, action: 'signed_out', ended: [ended.id] })
  }
  await database.transaction(end, undefined, { isPersistent: true })
}

/** Ends one of the account's own sessions. Returns whether it was the session of the request. */
export async function endOwnSession(transaction: Transaction, { key, row, actor }: Session, id: number) {
  const [ended] = await transaction.run<{ id_hash: Buffer }>(deleteSessionById(key.companyId, row.account_id, id))
  if (!ended) throw new Refusal('not_found', { detail: 'You have no session with this id; it may be over already.' })
  await auditSessions(transaction, actor, { accountId: row.account_id, action: 'sessions_ended', ended: [id] })
  return ended.id_hash.equals(key.idHash)
}

/** Ends all sessions of an account, except one if its hash is given. Returns how many. */
export async function endSessionsOf(
  transaction: Transaction,
  actor: LogAuthor,
  accountId: number,
  but: Buffer | null = null,
): Promise<number> {
  const rows = await transaction.run<{ id: number }>(deleteSessionsOf(actor.companyId, accountId, but))
  const ended = rows.map(({ id }) => id)
  await auditSessions(transaction, actor, { accountId, action: 'sessions_ended', ended })
  return ended.length
}

/** Throws if the account lacks a permission, with its name. */
export function needPermission({ row }: Pick<Session, 'row'>, permission: string): void {
  if (row.permissions.includes(permission)) return
  throw new Refusal('insufficient_scope', {
    detail: `Your account does not hold ${permission}. Ask somebody who manages the accounts of your company for it.`,
    required_scope: permission,
  })
}

/** Returns the author of a sign-in or sign-out for the log. It has no write, so it cannot be undone. */
export const signedInAs = (
  account: { companyId: number; accountId: number | null },
  from: RequestOrigin,
): LogAuthor => ({
  ...account,
  tokenId: null,
  channel: 'console',
  writeId: null,
  from,
})

const notSignedIn = (): Refusal =>
  new Refusal('unauthorized', { detail: 'You are not signed in, or no longer. Sign in again.' })
