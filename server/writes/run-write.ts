import { Refusal } from '#registry/refusals.ts'
import { type TagRow, tagsOf, tagWithin } from '#sql/records/tags.ts'
import { conflict, type Statement } from '#sql/statement.ts'
import { type BeginRow, beginWrite } from '#sql/system/begin-write.ts'
import type { CallerAsk, CallerRow } from '#sql/system/caller.ts'
import { closeGate, passGate, takeValues, takeValuesOfCall } from '#sql/system/locks.ts'
import type { SessionKey } from '#sql/system/sessions.ts'
import {
  answersKey,
  type ClaimRow,
  claimForSession,
  claimKeys,
  deleteStoredResponses,
  type EarlierRow,
  findStoredResponse,
  type KeyAsk,
  type KeyTagRow,
  type NewStoredResponse,
  storeResponses,
} from '#sql/system/stored-responses.ts'
import type { Share } from '../fair/shares.ts'
import { type Actor, operator } from '../records/actor.ts'
import { type Command, type PrefetchedRow, readPrefetch } from '../records/command.ts'
import type { UnreadRecord } from '../records/write-set.ts'
import { holdLiveSession, type Session } from '../service/session.ts'
import type { Database, Transaction } from '../store/database.ts'
import { violatedIndex } from '../store/faults.ts'
import { earlierAnswer, type KeyPolicy, type KeyState } from './idempotency.ts'

/** A write: its caller, its key, and its work. */
export type Write<Who, Answer> = {
  caller: Caller<Who>
  keys?: KeyPolicy<Answer, Who> | undefined
  /** Rolls the work back. The answer stays. */
  dryRun?: boolean
  /** Takes the company's gate exclusively, and retries after a lock time-out or a lost connection. */
  isRevocation?: boolean
  work: WorkNeeds & { execute(transaction: Transaction, who: Who, seen: PrefetchedRow): Promise<Answer> }
  /** Returns the answer for a refusal of the work, which is then committed. Without it a refusal rolls back. */
  refuse?(refusal: Refusal): Answer
  /** Returns the record whose ETag is added to the answer after the commit. */
  unread?(answer: Answer): UnreadRecord | undefined
  /** Returns the last statements before the commit. */
  note?(who: Who, answer: Answer): readonly Statement[]
}

type WorkNeeds = { [part in 'locks' | 'prefetch']?: Command<unknown>[part] | undefined }

/** Reads the rights of a caller, locks them until the commit, and checks them. */
export type Caller<Who> = {
  companyId: number
  /** The share of the connections to use; the service's own by default. */
  share?: Share
  /** Claims the key and locks the caller. Takes the locks and prefetches if the work is going to run. */
  begin(transaction: Transaction, key: KeyAsk | undefined, needs: WorkNeeds): Promise<BegunWrite<Who>>
}

/** `who` throws if the caller is refused; `seen` is the prefetched row. */
type BegunWrite<Who> = KeyState & { who(): Who; seen: PrefetchedRow }

/**
 * Runs a write in one transaction: its changes, log entry and stored answer commit together. The key is claimed in a
 * statement before the look-up of its answer, because a statement sees what was committed when it began. Decisions,
 * Idempotency and Locks.
 */
export async function runWrite<Who, Answer>(database: Database, write: Write<Who, Answer>) {
  const { caller, keys, dryRun = false, isRevocation = false, work, refuse, unread: unreadOf, note } = write
  const { companyId, share } = caller
  const { who, answer, unread, tags } = await database.transaction(
    async (transaction) => {
      transaction.send(isRevocation ? closeGate(companyId) : passGate(companyId))
      const begun = await caller.begin(transaction, keys, work)
      const who = begun.who()
      let isNew = true
      const answer = await runWork(async () => {
        const earlier = keys && earlierAnswer(keys, begun)
        if (!keys || !earlier) return work.execute(transaction, who, begun.seen)
        isNew = false
        return keys.replay(earlier, transaction, who)
      }, refuse)
      if (dryRun) transaction.undo()
      const unread = unreadOf?.(answer)
      const answered = { keys, answer, unread, isOver: begun.earlier?.is_over ?? false }
      const sent = isNew ? await sendAnswers(transaction, { companyId, who }, [answered]) : undefined
      for (const statement of note?.(who, answer) ?? []) transaction.send(statement)
      return { who, answer, unread, tags: sent?.tags }
    },
    share,
    { isPersistent: isRevocation },
  )
  return { who, answer, tag: unread && (await tags)?.get(unread.id) }
}

/** An answer under its key. `isOver`: the key has an earlier one that no longer counts. */
type KeyedResponse<Who, Answer> = {
  keys: KeyPolicy<Answer, Who> | undefined
  answer: Answer
  unread: UnreadRecord | undefined
  isOver: boolean
}

/**
 * Stores the answers of calls under their keys, and queries the ETags of unread records, which arrive with the commit.
 * All records are of one resource.
 */
export async function sendAnswers<Who, Answer>(
  transaction: Transaction,
  { companyId, who }: { companyId: number; who: Who },
  answers: readonly KeyedResponse<Who, Answer>[],
): Promise<{ tags: Promise<ReadonlyMap<number, string>> }> {
  const kept: NewStoredResponse[] = []
  const over: string[] = []
  const others: number[] = []
  for (const { keys, answer, unread, isOver } of answers) {
    const stored = keys && (await keys.keep(answer, transaction, who))
    if (keys && stored)
      kept.push({ key: keys.key, fingerprint: keys.fingerprints[0], ...stored, record_id: unread?.id })
    else if (unread) others.push(unread.id)
    if (keys && stored && isOver) over.push(keys.key)
  }
  const definition = answers.find(({ unread }) => unread)?.unread?.definition
  if (over.length > 0) transaction.send(deleteStoredResponses(companyId, over))
  transaction.onFailure((error) => (violatedIndex(error) === answersKey ? conflict(error) : error))
  const [stored, read] = [
    kept.length > 0
      ? transaction.run<KeyTagRow>(storeResponses(companyId, kept, definition && tagWithin(definition)))
      : [],
    definition && others.length > 0 ? transaction.run<TagRow>(tagsOf(companyId, definition, others)) : [],
  ]
  const tags = Promise.all([stored, read]).then(([stored, read]) => {
    const idOf = new Map(kept.map(({ key, record_id }) => [key, record_id as number]))
    return new Map([
      ...stored.map(({ key, etag }): [number, string] => [idOf.get(key) as number, etag]),
      ...read.map(({ id, etag }): [number, string] => [id, etag]),
    ])
  })
  // The commit rejects with a failure.
  tags.catch(() => undefined)
  return { tags }
}

async function runWork<Answer>(work: () => Promise<Answer>, refuse?: (refusal: Refusal) => Answer): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    if (refuse && error instanceof Refusal) return refuse(error)
    throw error
  }
}

type Claim = Pick<ClaimRow, 'claimed'>

/** Returns the caller with a token. `admit` returns its row, or throws a refusal. */
export const tokenCaller = (
  ask: CallerAsk,
  share: Share,
  admit: (row: CallerRow | undefined) => CallerRow,
): Caller<CallerRow> => ({
  companyId: ask.companyId,
  share,
  async begin(transaction, key, { locks = [], prefetch = null }) {
    const claims = key ? transaction.run<Claim>(claimKeys([key], ask)) : []
    if (locks.length > 0) transaction.send(takeValuesOfCall(ask, key, locks))
    const begun = transaction.run<BeginRow<PrefetchedRow>>(beginWrite(ask, key ? [key] : [], prefetch))
    const [[claim], [row]] = await Promise.all([claims, begun])
    return { who: () => admit(row), seen: row?.seen ?? null, claimed: claim?.claimed, earlier: row }
  },
})

/** Returns the caller with a session. The work itself reads the data that it needs. */
export const sessionCaller = (session: SessionKey, admit: (held: Session) => Session): Caller<Session> => ({
  companyId: session.companyId,
  async begin(transaction, key) {
    const [[claim], held, [earlier]] = await Promise.all([
      key ? transaction.run<Claim>(claimForSession(key.lock)) : [],
      holdLiveSession(transaction, session),
      key ? transaction.run<EarlierRow>(findStoredResponse(session.companyId, key.key)) : [],
    ])
    return { who: () => admit(held), seen: null, claimed: claim?.claimed, earlier }
  },
})

/** Returns the operator's command as a caller. It has no keys and is never refused. */
export const operatorCaller = (companyId: number): Caller<Actor> => ({
  companyId,
  async begin(transaction, _key, { locks = [], prefetch = null }) {
    if (locks.length > 0) transaction.send(takeValues(companyId, locks))
    return { who: () => operator(companyId), seen: await readPrefetch(transaction, { prefetch }) }
  },
})
