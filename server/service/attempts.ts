import { createHash } from 'node:crypto'
import { Refusal } from '#registry/refusals.ts'
import { type AttemptRow, countAttempt, forgiveAttempts } from '#sql/system/sign-in.ts'
import type { Database } from '../store/database.ts'

/** How often a password may be tried. Counted in the database before it is judged. Decisions, Console. */

export const attemptWindowSeconds = 15 * 60

export const attemptsMax = 10
/** A whole office may sit behind one address. */
export const attemptsOfPeerMax = 100

/** What a try counts for: an address, an account or a device; or a network, whose tries no right password forgets. */
export type CountedSubject = { subject: Buffer; ofPeer?: true }

/** Counts a try; the seconds until there may be another one, 0 where this one may go on. */
export async function count(database: Database, counted: readonly CountedSubject[]): Promise<number> {
  const rows = await database.read<AttemptRow>(countAttempt(subjectsOf(counted), attemptWindowSeconds))
  const maxOf = (row: AttemptRow): number =>
    counted.some(({ subject, ofPeer }) => ofPeer && subject.equals(row.subject)) ? attemptsOfPeerMax : attemptsMax
  const over = rows.filter((row) => row.attempts > maxOf(row))
  return Math.max(0, ...over.map(({ seconds_left }) => Math.max(1, seconds_left)))
}

/** The same, refused where it may not. */
export async function countOrRefuse(database: Database, counted: readonly CountedSubject[]): Promise<void> {
  const seconds = await count(database, counted)
  if (seconds === 0) return
  throw new Refusal('too_many_requests', {
    detail: `There were too many attempts. Try again in ${Math.ceil(seconds / 60)} minutes.`,
    headers: { 'Retry-After': String(seconds) },
  })
}

/** The password was right: the tries before it are forgotten, but for those of the network. */
export function forget(database: Database, counted: readonly CountedSubject[]): Promise<unknown> {
  const { own = [], ofPeer = [] } = Object.groupBy(counted, (one) => (one.ofPeer ? 'ofPeer' : 'own'))
  return database.read(forgiveAttempts(subjectsOf(own), subjectsOf(ofPeer)))
}

/** This try does not count; those before it do. */
export const takeBack = (database: Database, counted: readonly CountedSubject[]): Promise<unknown> =>
  database.read(forgiveAttempts([], subjectsOf(counted)))

const subjectsOf = (counted: readonly CountedSubject[]): Buffer[] => counted.map(({ subject }) => subject)

/** Compares; a try that was turned away before it was compared is taken back. */
export async function runCounted<T>(
  database: Database,
  counted: readonly CountedSubject[],
  compare: () => Promise<T>,
): Promise<T> {
  try {
    return await compare()
  } catch (error) {
    if (error instanceof Refusal) await takeBack(database, counted)
    throw error
  }
}

/** A hash, so that what strangers show is not kept. That of an address is made by the database. */
export const subjectOf = (sort: 'account' | 'device' | 'peer', text: string): Buffer =>
  createHash('sha256').update(`${sort}:${text}`).digest()
