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
 * A record as a write leaves it. `json` is its text, as PostgreSQL shows it, less what is withheld from whoever writes: the
 * empty text where that is all, and null where the record is not read before the commit.
 */
export type WriteResult = Omit<WrittenRow, 'json'> & { json: string | null; effect: Effect }

/** A record whose tag is known only once what was sent of it is written. */
export type UnreadRecord = { definition: Definition; id: number }

/** `changed` are the fields that differ. `previewed` are those that a dry-run tells of. */
export type ChangeResult = WriteResult & { changed: string[]; previewed: string[] }

/** Returns what a write has left, as its author may see it. */
export const showToAuthor = ({ lacksRights }: Actor, definition: Definition, row: WrittenRow): WrittenRow => ({
  ...row,
  json: isUnseen(definition, lacksRights) ? '' : visibleRecords(definition, lacksRights, row.json),
})

/** By the place of the row. A row that was rolled back with the transaction, and is not refused itself, has none. */
export type Outcomes<Done> = (Done | Refusal | undefined)[]

/** What the sets of one transaction share. */
export type WriteSet = {
  transaction: Transaction
  actor: Actor
  late: LateConflict
  /** Whether nothing is asked any more before the commit, with which its statements travel. */
  isFinal?: boolean
  /** Lets other requests run between the rows of a long set. */
  breathe(): Promise<void>
}

/** Survives a rerun of the transaction. */
export type LateConflict = {
  /** How often another transaction took a unique value between the look-up and the write. */
  times: number
  /** Whether the transaction was rolled back because of it: what follows has no outcome. */
  isUndone: boolean
}

/** How rows of one operation are written together. A row that is created has no id. */
export type SetOperation<Done> = {
  prefetch(companyId: number, definition: Definition, rows: readonly ChangedRow[], waits?: WaitsForLocks): Prefetch
  write(
    set: WriteSet,
    definition: Definition,
    rows: readonly ChangedRow[],
    prefetched: PrefetchedRow,
  ): Promise<Outcomes<Done>>
}

/** A row that may share a transaction with others of its operation and resource, and what its caller is told of it. */
export type SetRow<T> = {
  operation: Pick<SetOperation<unknown>, 'prefetch' | 'write'>
  definition: Definition
  row: ChangedRow
  /** `done` is what the operation of the row returns. */
  say(done: unknown): T
  /** What it writes that one transaction at a time can write: its record, its unique values, the trees that it re-hangs. */
  holds: readonly string[]
}

export const noneLate = (): LateConflict => ({ times: 0, isUndone: false })

/** A set that is short enough to be judged at a stretch. */
export function shortSet(transaction: Transaction, actor: Actor, late: LateConflict, isFinal = false): WriteSet {
  late.isUndone = false
  return { transaction, actor, late, isFinal, breathe: async () => {} }
}

/**
 * Whether the statements of a set can travel with the commit. They cannot where a value was taken late before, which is then
 * looked for, nor where something is withheld from whoever writes: the tag is that of the record as it is shown.
 */
export const canTravel = ({ isFinal, transaction, late, actor }: WriteSet, definition: Definition): boolean =>
  isFinal === true && !transaction.isLast && late.times === 0 && isWhole(definition, actor.lacksRights)

/** Returns the outcome of a set of one row. Throws it if it is a refusal. */
export function outcomeOf<Done>([outcome]: Outcomes<Done>): Done {
  if (outcome === undefined) throw conflict()
  if (outcome instanceof Refusal) throw outcome
  return outcome
}

/** Rows that are written by one statement; more would delay other requests while their JSON is written and read. */
export const writtenTogether = 250

/** Returns the refusal of a row. A field whose reference is lost has that problem alone. */
export function refusalOf(problems: readonly Problem[], lost: readonly Problem[] = []): Refusal {
  const names = lost.map(({ field }) => field)
  return invalidFields([...problems.filter(({ field }) => !names.includes(field)), ...lost])
}

/**
 * Sends statements that may meet a unique index, for which the commit waits. Where they do, the transaction runs again and
 * finds the value taken.
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
 * Writes rows that may meet a unique index, because another transaction took a value after the look-up. The first time
 * the transaction runs again and finds the value taken. The second time it is rolled back, and the rows whose values are
 * taken by then are refused.
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
      const given = rows.map(({ values }) => (typeof values[field] === 'string' ? values[field] : null))
      const holders = await transaction.run<HolderRow>(holdersOf(actor.companyId, definition, field, given))
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

/** Rows that are written, and the statements that do so; the first returns what is written. */
type UniqueRows = {
  rows: readonly { place: number; values: JsonObject; id: number | null }[]
  statements: readonly Statement[]
}
