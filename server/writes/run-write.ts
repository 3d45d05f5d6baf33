import { orRefusal, orThrow, Refusal } from '#registry/refusals.ts'
import { type TagRow, tagsOf, tagWithin } from '#sql/records/tags.ts'
import { conflict, type Statement } from '#sql/statement.ts'
import { waitBriefly } from '#sql/system/connection.ts'
import { closeGate, passGate } from '#sql/system/locks.ts'
import {
  answersKey,
  deleteStoredResponses,
  type KeyTagRow,
  type NewStoredResponse,
  storeResponses,
} from '#sql/system/stored-responses.ts'
import type { PrefetchedRow } from '../records/look-up.ts'
import type { UnreadRecord } from '../records/write-set.ts'
import type { Database, Transaction } from '../store/database.ts'
import { violatedIndex } from '../store/faults.ts'
import type { Caller, WorkNeeds } from './caller.ts'
import { findEarlier, type KeyPolicy, type PartPolicy } from './idempotency.ts'

/** A write: the rights of its caller, its key, its work and its response. `Row` is the caller as the database has it. */
export type Write<Row, Who, Response> = {
  /** Returns the caller with its rights. Throws if it lacks one. `isFinal`: the refusal ends the write. */
  admit(row: Row, isFinal: boolean): Who
  keys?: KeyPolicy<Response, Who> | undefined
  /** The row of a part of a series. */
  part?: PartPolicy<Response> | undefined
  work: WorkNeeds & { execute(transaction: Transaction, who: Who, prefetched: PrefetchedRow): Promise<Response> }
  /** Returns the response for a refusal of the work, which is then committed. Without it a refusal rolls back. */
  refuse?(refusal: Refusal): Response
  /** Returns the record whose ETag is added to the response after the commit. */
  unread?(response: Response): UnreadRecord | undefined
}

/** The work of writes that share a transaction. It returns their outcomes in order; undefined for one without. */
export type SharedWork<Who, Response> = WorkNeeds & {
  execute(
    transaction: Transaction,
    members: readonly { place: number; who: Who }[],
    prefetched: PrefetchedRow,
  ): Promise<readonly (Response | Refusal | undefined)[]>
}

type WriteOptions<Who, Response> = {
  /** Rolls the work back. The response stays. */
  dryRun?: boolean | undefined
  /** Takes the company's gate exclusively, and retries after a lock time-out or a lost connection. */
  isRevocation?: boolean | undefined
  /** The work of all writes, which waits only briefly for locks and is not retried; without it there is one write. */
  shared?: SharedWork<Who, Response> | undefined
  /** Returns the last statements before the commit. */
  log?(responses: readonly { place: number; who: Who; response: Response }[]): readonly Statement[]
}

/** A write after the commit; `tag` is the ETag of its unread record. */
type WriteResult<Who, Response> = { who: Who; response: Response; tag: string | undefined }

/**
 * Runs the writes of one caller in one transaction: gate, claim, rights, work, responses, log. A lone write is a group
 * of one. Of writes that share the transaction, each one that does not simply succeed (a refusal, a replay, a key in
 * flight, a locked record) has no result, and runs alone.
 * A key is claimed in a statement before the look-up of its response, because a statement sees what was committed when
 * it began. Decisions, Groups, Idempotency and Locks.
 */
export async function runWrites<Row, Who, Response>(
  database: Database,
  { companyId, share, begin }: Caller<Row>,
  writes: readonly Write<Row, Who, Response>[],
  { dryRun, isRevocation = false, shared, log }: WriteOptions<Who, Response> = {},
): Promise<readonly (WriteResult<Who, Response> | undefined)[]> {
  const [first] = writes as readonly [Write<Row, Who, Response>]
  const { responses, tags } = await database.transaction(
    async (transaction) => {
      if (shared) transaction.send(waitBriefly)
      transaction.send(isRevocation ? closeGate(companyId) : passGate(companyId))
      const [part, { row, prefetched, states }] = await Promise.all([
        first.part?.find(transaction),
        begin(
          transaction,
          writes.flatMap(({ keys }) => keys ?? []),
          shared ?? first.work,
          !shared,
        ),
      ])
      const members = writes.flatMap((write, place) => {
        const { keys } = write
        const who = orRefusal(() => write.admit(row, !shared))
        const state = states[place] ?? {}
        const earlier = orRefusal(() => keys && findEarlier(keys, state))
        if (shared && (who instanceof Refusal || earlier)) return []
        return [{ place, write, who: orThrow(who), earlier, isOver: state.earlier?.is_over ?? false }]
      })
      const alone = async ({ write, who, earlier }: (typeof members)[number]): Promise<Response> => {
        if (part) return part.response
        try {
          const stored = orThrow(earlier)
          return stored && write.keys
            ? await write.keys.replay(stored, transaction, who)
            : await write.work.execute(transaction, who, prefetched)
        } catch (error) {
          if (write.refuse && error instanceof Refusal) return write.refuse(error)
          throw error
        }
      }
      const outcomes = shared
        ? members.length === 0
          ? []
          : await shared.execute(transaction, members, prefetched)
        : await Promise.all(members.map(alone))
      const responses = members.flatMap((member, index) => {
        const response = outcomes[index]
        if (response === undefined || response instanceof Refusal) return []
        return [{ ...member, response, unread: member.write.unread?.(response) }]
      })
      if (dryRun) transaction.undo()
      const isNew = ({ earlier }: (typeof members)[number]): boolean => !part && !earlier
      const { tags } = await sendResponses(transaction, companyId, responses.filter(isNew))
      if (responses.length > 0) for (const statement of log?.(responses) ?? []) transaction.send(statement)
      return { responses, tags }
    },
    share,
    { isPersistent: isRevocation, isOnce: shared !== undefined },
  )
  const tagOf = await tags
  const results = new Map(
    responses.map(({ place, who, response, unread }) => [
      place,
      { who, response, tag: unread && tagOf.get(unread.id) },
    ]),
  )
  return writes.map((_, place) => results.get(place))
}

/** Runs one write, with its retries, and waits for locks. Throws if its caller is refused. */
export async function runWrite<Row, Who, Response>(
  database: Database,
  caller: Caller<Row>,
  write: Write<Row, Who, Response>,
  options?: Omit<WriteOptions<Who, Response>, 'shared'>,
): Promise<WriteResult<Who, Response>> {
  const [result] = await runWrites(database, caller, [write], options)
  return result as WriteResult<Who, Response>
}

/** The response of a write. `isOver`: its key has an earlier one that no longer counts. */
type NewResponse<Who, Response> = {
  write: Pick<Write<never, Who, Response>, 'keys' | 'part'>
  who: Who
  response: Response
  unread: UnreadRecord | undefined
  isOver: boolean
}

/**
 * Stores responses, and queries the ETags of unread records, which arrive with the commit. All records are of one
 * resource.
 */
export async function sendResponses<Who, Response>(
  transaction: Transaction,
  companyId: number,
  responses: readonly NewResponse<Who, Response>[],
): Promise<{ tags: Promise<ReadonlyMap<number, string>> }> {
  const kept: NewStoredResponse[] = []
  const over: string[] = []
  const others: number[] = []
  const definition = responses.find(({ unread }) => unread)?.unread?.definition
  for (const { write, who, response, unread, isOver } of responses) {
    for (const statement of write.part?.store(response) ?? []) transaction.send(statement)
    const { keys } = write
    const stored = keys && (await keys.keep(response, transaction, who))
    if (keys && stored)
      kept.push({ key: keys.key, fingerprint: keys.fingerprints[0], ...stored, record_id: unread?.id })
    else if (unread) others.push(unread.id)
    if (keys && stored && isOver) over.push(keys.key)
  }
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
