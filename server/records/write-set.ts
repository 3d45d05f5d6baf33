import { isUnseen, isWhole, visibleRecords } from '#derive/visible.ts'
import type { Definition, Problem } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { invalidFields, Refusal } from '#registry/refusals.ts'
import { fieldOfIndex, uniqueFields } from '#sql/records/columns.ts'
import type { WrittenRow } from '#sql/records/insert.ts'
import type { WaitsForLocks } from '#sql/records/prefetch.ts'
import { type HolderRow, holdersOf } from '#sql/records/sets.ts'
import { conflict, type Prefetch, type Statement } from '#sql/statement.ts'
import type { Transaction } from '../store/database.ts'
import { violatedIndex } from '../store/faults.ts'
import type { Actor } from './actor.ts'
import { notUnique } from './check.ts'
import type { PrefetchedRow } from './command.ts'
import type { Effect } from './preview.ts'
import type { ChangedRow } from './update.ts'

/** A set: rows of one operation on one resource of one company, written in one transaction. */

/**
 * A record after a write. `json` is its text as PostgreSQL formats it, without fields that are withheld from the actor.
 * It is empty if all are withheld, and null if the record is not read before the commit.
 */
export type WriteResult = Omit<WrittenRow, 'json'> & { json: string | null; effect: Effect }

/** A record whose ETag is known only after its queued statements have run. */
export type UnreadRecord = { definition: Definition; id: number }

/** `changed` are the fields that differ. `previewed` are those that a dry-run shows. */
export type ChangeResult = WriteResult & { changed: string[]; previewed: string[] }

/** Returns a written record as its author may see it. */
export const showToAuthor = ({ lacksRights }: Actor, definition: Definition, row: WrittenRow): WrittenRow => ({
  ...row,
  json: isUnseen(definition, lacksRights) ? '' : visibleRecords(definition, lacksRights, row.json),
})

/** By the place of the row; undefined if the row was rolled back with the transaction and is not refused itself. */
export type Outcomes<Done> = (Done | Refusal | undefined)[]

/** The state that the sets of one transaction share. */
export type WriteSet = {
  transaction: Transaction
  actor: Actor
  late: LateConflict
  /** Whether the commit is the next statement, so that the statements of the set are sent with it. */
  isFinal?: boolean
  /** Lets other requests run between the rows of a long set. */
  breathe(): Promise<void>
}

/** Conflicts after the look-up. The object survives retries of the transaction. */
export type LateConflict = {
  /** Number of times that another transaction took a unique value between the look-up and the write. */
  times: number
  /** Whether the transaction was rolled back because of it: later rows have no outcome. */
  isUndone: boolean
}

/** Reads and writes rows of one operation together. A row that is created has no id. */
export type SetOperation<Done> = {
  prefetch(companyId: number, definition: Definition, rows: readonly ChangedRow[], waits?: WaitsForLocks): Prefetch
  write(
    set: WriteSet,
    definition: Definition,
    rows: readonly ChangedRow[],
    prefetched: PrefetchedRow,
  ): Promise<Outcomes<Done>>
}

/** A row that may share a transaction with others of its operation and resource, and the result for its caller. */
export type SetRow<T> = {
  operation: Pick<SetOperation<unknown>, 'prefetch' | 'write'>
  definition: Definition
  row: ChangedRow
  /** Returns the result for the caller. `done` is the result of the operation. */
  say(done: unknown): T
  /** Names of all that one transaction at a time can write: its record, its unique values, the trees it changes. */
  holds: readonly string[]
}

export const noneLate = (): LateConflict => ({ times: 0, isUndone: false })

/** Creates a set that is short enough to be checked without a pause. */
export function shortSet(transaction: Transaction, actor: Actor, late: LateConflict, isFinal = false): WriteSet {
  late.isUndone = false
  return { transaction, actor, late, isFinal, breathe: async () => {} }
}

/**
 * Returns whether the statements of a set can be sent with the commit. They cannot after a late conflict, because the
 * retry looks for the taken value. Nor can they if fields are withheld from the actor: the ETag is that of the record
 * as shown.
 */
export const canTravel = ({ isFinal, transaction, late, actor }: WriteSet, definition: Definition): boolean =>
  isFinal === true && !transaction.isLast && late.times === 0 && isWhole(definition, actor.lacksRights)

/** Returns the outcome of a set of one row. Throws it if it is a refusal. */
export function outcomeOf<Done>([outcome]: Outcomes<Done>): Done {
  if (outcome === undefined) throw conflict()
  if (outcome instanceof Refusal) throw outcome
  return outcome
}

/** Rows that one statement writes at most; more would delay other requests while their JSON is written and read. */
export const writtenTogether = 250

/** Returns the refusal of a row. A field whose reference is lost has that problem alone. */
export function refusalOf(problems: readonly Problem[], lost: readonly Problem[] = []): Refusal {
  const names = lost.map(({ field }) => field)
  return invalidFields([...problems.filter(({ field }) => !names.includes(field)), ...lost])
}

/**
 * Queues statements that may violate a unique index; the commit waits for them. If they do, the transaction is retried
 * and finds the value taken.
 */
export function sendUnique({ transaction, late }: WriteSet, definition: Definition, statements: readonly Statement[]) {
  transaction.onFailure((error) => {
    if (fieldOfIndex(definition, violatedIndex(error) ?? '') === undefined) return error
    late.times++
    return conflict(error)
  })
  for (const statement of statements) transaction.send(statement)
}

/**
 * Writes rows that may violate a unique index, because another transaction took a value after the look-up. The first
 * time, the transaction is retried and finds the value taken. The second time it is rolled back, and the rows whose
 * values are taken by then are refused.
 */
export async function writeUnique(
  { transaction, actor, late }: WriteSet,
  definition: Definition,
  outcomes: Outcomes<unknown>,
  { rows, statements }: UniqueRows,
): Promise<WrittenRow[]> {
  try {
    const [written] = await Promise.all(statements.map((one) => transaction.run<WrittenRow>(one)))
    return written ?? []
  } catch (error) {
    if (fieldOfIndex(definition, violatedIndex(error) ?? '') === undefined) throw error
    if (late.times++ === 0) throw conflict(error)
    transaction.undo()
    let refused = 0
    for (const field of uniqueFields(definition)) {
      const sent = rows.map(({ values }) => (typeof values[field] === 'string' ? values[field] : null))
      const holders = await transaction.run<HolderRow>(holdersOf(actor.companyId, definition, field, sent))
      for (const { place: index, holder } of holders) {
        const row = rows[index - 1]
        if (!row || holder === null || holder === row.id) continue
        outcomes[row.place] = refusalOf([notUnique(field)])
        refused++
      }
    }
    if (refused === 0) throw conflict(error)
    late.isUndone = true
    return []
  }
}

/** Rows to write, and the statements that write them; the first statement returns the written rows. */
type UniqueRows = {
  rows: readonly { place: number; values: JsonObject; id: number | null }[]
  statements: readonly Statement[]
}
