import { createHash } from 'node:crypto'
import { Refusal } from '#registry/refusals.ts'
import { type AttemptRow, countAttempt, forgiveAttempts } from '#sql/system/sign-in.ts'
import type { Database } from '../store/database.ts'

/** Limits of attempts at passwords. They are counted in the database before the comparison. Decisions, Console. */

export const attemptWindowSeconds = 15 * 60

/** Attempts in a window at one e-mail address, at one account, or from one device. */
export const attemptsMax = 10
/** Attempts in a window from one network. It is higher because all people of an office may share a network address. */
export const attemptsOfPeerMax = 100

/**
 * The subject of a counted attempt: an e-mail address, an account, a device, or a network (`ofPeer`). A right password
 * deletes the counts of all but the network.
 */
export type CountedSubject = { subject: Buffer; ofPeer?: true }

/** Counts an attempt. Returns the seconds until the next one is allowed, 0 if this one is. */
export async function count(database: Database, counted: readonly CountedSubject[]): Promise<number> {
  const rows = await database.read<AttemptRow>(countAttempt(subjectsOf(counted), attemptWindowSeconds))
  const maxOf = (row: AttemptRow): number =>
    counted.some(({ subject, ofPeer }) => ofPeer && subject.equals(row.subject)) ? attemptsOfPeerMax : attemptsMax
  const over = rows.filter((row) => row.attempts > maxOf(row))
  return Math.max(0, ...over.map(({ seconds_left }) => Math.max(1, seconds_left)))
}

/** Counts an attempt. Throws if it is not allowed. */
export async function countOrRefuse(database: Database, counted: readonly CountedSubject[]): Promise<void> {
  const seconds = await count(database, counted)
  if (seconds === 0) return
  throw new Refusal('too_many_requests', {
    detail: `There were too many attempts. Try again in ${Math.ceil(seconds / 60)} minutes.`,
    headers: { 'Retry-After': String(seconds) },
  })
}

/** Deletes earlier attempts after a right password, except those of the network. */
export function forget(database: Database, counted: readonly CountedSubject[]): Promise<unknown> {
  const { own = [], ofPeer = [] } = Object.groupBy(counted, (one) => (one.ofPeer ? 'ofPeer' : 'own'))
  return database.read(forgiveAttempts(subjectsOf(own), subjectsOf(ofPeer)))
}

/** Takes this attempt back; earlier ones still count. */
export const takeBack = (database: Database, counted: readonly CountedSubject[]): Promise<unknown> =>
  database.read(forgiveAttempts([], subjectsOf(counted)))

const subjectsOf = (counted: readonly CountedSubject[]): Buffer[] => counted.map(({ subject }) => subject)

/** Compares a password. An attempt that was refused before the comparison is taken back. */
export async function runCounted<T>(database: Database, counted: readonly CountedSubject[], compare: () => Promise<T>) {
  try {
    return await compare()
  } catch (error) {
    if (error instanceof Refusal) await takeBack(database, counted)
    throw error
  }
}

/** Returns a hash, so that no text of a stranger is stored. The database makes the hash of an address. */
export const subjectOf = (sort: 'account' | 'device' | 'peer', text: string): Buffer =>
  createHash('sha256').update(`${sort}:${text}`).digest()
