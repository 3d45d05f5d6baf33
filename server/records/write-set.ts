import { isUnseen, isWhole, visibleRecords } from '#derive/visible.ts'
import type { Definition, Problem } from '#registry/definition.ts'
import { isSameJson, type Json, type JsonObject } from '#registry/json.ts'
import { invalidFields, Refusal } from '#registry/refusals.ts'
import { columnsOf, fieldOfIndex, uniqueFields } from '#sql/records/columns.ts'
import type { WrittenRow } from '#sql/records/insert.ts'
import { type LookUpRow, type prefetchForCreate, settlingReferences } from '#sql/records/prefetch.ts'
import { type HolderRow, holdersOf } from '#sql/records/sets.ts'
import { conflict, type Statement } from '#sql/statement.ts'
import type { Transaction } from '../store/database.ts'
import { violatedIndex } from '../store/faults.ts'
import type { Actor } from './actor.ts'
import { notUnique, sentOf } from './check.ts'
import { type PrefetchedRow, readPrefetch } from './look-up.ts'
import type { Effect } from './preview.ts'
import { recordTag } from './tag.ts'
import type { ChangedRow } from './update.ts'

/** A set: rows of one operation on one resource of one company, written in one transaction. */

/**
 * A record after a write. `json` is its text as PostgreSQL formats it, without fields that are withheld from the actor.
 * It is empty if all are withheld, and null if the record is not read before the commit. `tag` is its ETag.
 */
export type WriteResult = NewState & { effect: Effect }
type NewState = Omit<WrittenRow, 'json'> & { json: string | null; tag?: string | undefined }

/** A record whose ETag is known only after its queued statements have run. */
export type UnreadRecord = { definition: Definition; id: number }

/**
 * `changed` are the fields that differ. To an actor who may not read the record they are the names sent, and every update
 * is a change, so that none tells whether a value was there already.
 */
export type ChangeResult = WriteResult & { updated: boolean; changed: string[] }

/** Returns a written record as its author may see it. */
export function showToAuthor({ lacksRights, tagKey }: Actor, definition: Definition, row: WrittenRow): NewState {
  const json = isUnseen(definition, lacksRights) ? '' : visibleRecords(definition, lacksRights, row.json)
  return { ...row, json, tag: tagKey === undefined ? undefined : recordTag(tagKey, row.version, json) }
}

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
  /** Number of times that another transaction took a unique value or the last slot between the look-up and the write. */
  times: number
  /** Whether the transaction was rolled back because of it: later rows have no outcome. */
  isUndone: boolean
}

/** Reads and writes rows of one operation together. A row that is created has no id. */
export type SetOperation<Done> = {
  prefetch: PrefetchOfRows
  write(
    set: WriteSet,
    definition: Definition,
    rows: readonly ChangedRow[],
    prefetched: PrefetchedRow,
  ): Promise<Outcomes<Done>>
}

type PrefetchOfRows = typeof prefetchForCreate

/** Returns the look-ups for a row. */
export const lookUpRow = (
  definition: Definition,
  { id = null, body }: { id?: number | null; body: Json },
): LookUpRow => ({
  id,
  sent: sentOf(definition, body),
})

/** Looks up the rows of a set for which nothing is prefetched. */
export async function prefetchRows(
  { transaction, actor, breathe }: WriteSet,
  definition: Definition,
  rows: readonly { id?: number | null; body: Json }[],
  prefetch: PrefetchOfRows,
): Promise<PrefetchedRow> {
  const asked: LookUpRow[] = []
  for (const row of rows) {
    asked.push(lookUpRow(definition, row))
    await breathe()
  }
  return readPrefetch(transaction, { prefetch: prefetch(actor.companyId, definition, asked) })
}

/** A row that may share a transaction with others of its operation and resource. */
export type SetRow = {
  operation: SetOperation<unknown>
  definition: Definition
  row: ChangedRow
  lookUp: LookUpRow
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
 * as shown. Nor if other records are settled after them.
 */
export const canTravel = ({ isFinal, transaction, late, actor }: WriteSet, definition: Definition): boolean =>
  isFinal === true &&
  !transaction.isLast &&
  late.times === 0 &&
  isWhole(definition, actor.lacksRights) &&
  settlingReferences(definition).length === 0

/** Runs the transaction again if a statement that was sent with the commit fails by a late conflict. */
export function retryLate({ transaction, late }: WriteSet, isLate: (error: unknown) => boolean): void {
  transaction.onFailure((error) => {
    if (!isLate(error)) return error
    late.times++
    return conflict(error)
  })
}

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

/** Returns the fields that differ, and their changes for the log. */
export function differences(definition: Definition, before: JsonObject, after: JsonObject) {
  const changed = columnsOf(definition)
    .map(([name]) => name)
    .filter((name) => !isSameJson(after[name], before[name]))
  const changes = Object.fromEntries(
    changed.map((name): [string, Json] => [name, [before[name] ?? null, after[name] ?? null]]),
  )
  return { changed, changes }
}

/** Returns the unique field whose value another transaction took, if the error says so. */
export const takenField = (definition: Definition, error: unknown): string | undefined =>
  fieldOfIndex(definition, violatedIndex(error) ?? '')

/** A row of a set that is accepted: its record, the version that it gets, and the other parts of its outcome. */
export type RowToWrite<Rest> = { place: number; id: number; version: number; values: JsonObject; rest: Rest }

/**
 * Writes accepted rows and notes their outcomes. The first statement returns the written records if `isShown`. Another
 * transaction may have taken a unique value after the look-up. The first time, the transaction is retried and finds the
 * value taken. The second time it is rolled back, and the rows whose values are taken by then are refused.
 */
export async function writeRows<Rest>(
  set: WriteSet,
  definition: Definition,
  outcomes: Outcomes<NewState & Rest>,
  rows: readonly RowToWrite<Rest>[],
  statementsOf: (isShown: boolean) => readonly Statement[],
): Promise<void> {
  const { transaction, actor, late } = set
  if (canTravel(set, definition)) {
    retryLate(set, (error) => takenField(definition, error) !== undefined)
    for (const statement of statementsOf(false)) transaction.send(statement)
    for (const { place, id, version, rest } of rows) outcomes[place] = { id, version, json: null, ...rest }
    return
  }
  for (const { place } of rows) outcomes[place] = undefined
  try {
    const [written] = await Promise.all(statementsOf(true).map((one) => transaction.run<WrittenRow>(one)))
    const shown = new Map(written?.map((row) => [row.id, showToAuthor(actor, definition, row)]))
    for (const { place, id, rest } of rows) {
      const row = shown.get(id)
      if (row) outcomes[place] = { ...row, ...rest }
    }
  } catch (error) {
    if (takenField(definition, error) === undefined) throw error
    if (late.times++ === 0) throw conflict(error)
    transaction.undo()
    if (!(await refuseTaken(set, definition, outcomes, rows))) throw conflict(error)
    late.isUndone = true
  }
}

/** Refuses the rows with a unique value that another record has. Returns whether there are any. */
async function refuseTaken(
  { transaction, actor }: WriteSet,
  definition: Definition,
  outcomes: Outcomes<unknown>,
  rows: readonly RowToWrite<unknown>[],
): Promise<boolean> {
  let isRefused = false
  for (const field of uniqueFields(definition)) {
    const sent = rows.map(({ values }) => (typeof values[field] === 'string' ? values[field] : null))
    const holders = await transaction.run<HolderRow>(holdersOf(actor.companyId, definition, field, sent))
    for (const { place, holder } of holders) {
      const row = rows[place - 1]
      if (!row || holder === null || holder === row.id) continue
      outcomes[row.place] = refusalOf([notUnique(field)])
      isRefused = true
    }
  }
  return isRefused
}
