import { createHash } from 'node:crypto'
import {
  type AttemptRow,
  type CredentialsRow,
  countAttempt,
  credentialsByEmail,
  credentialsOf,
  forgiveAttempts,
} from '#derive/queries/sign-in.ts'
import { invalidFields, Refusal } from '#registry/refusals.ts'
import type { Database } from '../store/database.ts'
import type { PasswordDesk } from './password.ts'
import { beginSession, type Session } from './session.ts'

export const attemptWindowSeconds = 15 * 60
const attemptsPerAccount = 10
/** A whole office may sit behind one address. */
const attemptsPerPeer = 100

/**
 * Signs somebody in: the text of a new session. An address that nobody has, an account that is disabled or has no
 * password, and a wrong password take the same way and get the same answer.
 */
export async function signIn(
  database: Database,
  desk: PasswordDesk,
  { email, password, peer }: { email: string; password: string; peer: string | undefined },
): Promise<{ text: string; companyId: number }> {
  const subjects = { account: subject('email', email.trim().toLowerCase()), peer: subject('peer', network(peer)) }
  await count(database, subjects.account, subjects.peer)
  const [found] = await database.read<CredentialsRow>(credentialsByEmail(email.trim()))
  const isOpen = found !== undefined && !found.disabled
  if (!(await desk.isRight(password, found?.password_hash ?? null)) || !isOpen) {
    throw new Refusal('unauthorized', { detail: 'E-mail or password is wrong.' })
  }
  await database.read(forgiveAttempts(subjects.account, subjects.peer))
  const text = await database.transaction((transaction) => beginSession(transaction, found.company_id, found.id))
  return { text, companyId: found.company_id }
}

/** Whoever is signed in shows once more that it is he. Counted like a sign-in: a session is no licence to guess. */
export async function confirmPassword(
  database: Database,
  desk: PasswordDesk,
  { actor, row }: Session,
  password: string,
  field = 'password',
): Promise<void> {
  const account = subject('email', row.email.toLowerCase())
  await count(database, account, null)
  const [found] = await database.read<CredentialsRow>(credentialsOf(actor.companyId, row.account_id))
  if (!(await desk.isRight(password, found?.password_hash ?? null))) {
    throw invalidFields([{ field, code: 'wrong_password', message: 'is not the password of your account' }])
  }
  await database.read(forgiveAttempts(account, null))
}

async function count(database: Database, account: Buffer, peer: Buffer | null): Promise<void> {
  const subjects = peer ? [account, peer] : [account]
  const rows = await database.read<AttemptRow>(countAttempt(subjects, attemptWindowSeconds))
  const over = rows.filter(({ subject, attempts }) =>
    subject.equals(account) ? attempts > attemptsPerAccount : attempts > attemptsPerPeer,
  )
  if (over.length === 0) return
  const seconds = Math.max(1, ...over.map(({ seconds_left }) => seconds_left))
  throw new Refusal('too_many_requests', {
    detail: `There were too many attempts. Try again in ${Math.ceil(seconds / 60)} minutes.`,
    headers: { 'Retry-After': String(seconds) },
  })
}

const subject = (sort: 'email' | 'peer', text: string): Buffer =>
  createHash('sha256').update(`${sort}:${text}`).digest()

/** One customer of a provider has a whole /64 of IPv6 addresses. */
function network(peer: string | undefined): string {
  if (peer === undefined) return 'unknown'
  const address = peer.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
  if (!address.includes(':')) return address
  const [head = ''] = address.split('%')
  const [before = '', after] = head.split('::')
  const groups = before.split(':').filter((group) => group !== '')
  const filled = after === undefined ? groups : [...groups, ...Array(Math.max(0, 4 - groups.length)).fill('0')]
  return filled.slice(0, 4).join(':')
}
