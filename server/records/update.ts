import type { ExpectedVersion } from '#derive/expected-version.ts'
import { isUnseen } from '#derive/visible.ts'
import type { Definition, Problem, SumValues } from '#registry/definition.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { Refusal } from '#registry/refusals.ts'
import type { Origin } from '#sql/author.ts'
import { columnsOf } from '#sql/records/columns.ts'
import type { WrittenRow } from '#sql/records/insert.ts'
import { prefetchForUpdate, readingReferences, settlingReferences, wasColumn } from '#sql/records/prefetch.ts'
import { updateHeld } from '#sql/records/update.ts'
import { conflict } from '#sql/statement.ts'
import { checkCircles, judgeRecord, readOf, sentOf, takenColumn } from './check.ts'
import { requireHeldRecord } from './expected.ts'
import { foundIn, type PrefetchedRow } from './look-up.ts'
import { isIssued, papersOf } from './papers.ts'
import { refuseApproval } from './rights.ts'
import { settle } from './settle.ts'
import { judgedSums } from './sums.ts'
import { readToday } from './today.ts'
import {
  type ChangeResult,
  differences,
  type Outcomes,
  prefetchRows,
  type RowToWrite,
  refusalOf,
  showToAuthor,
  type WriteSet,
  writeRows,
} from './write-set.ts'

/** `id` is null if the record is named by a reference that no record has. */
export type ChangedRow = {
  id: number | null
  body: Json
  expected: ExpectedVersion
  lost?: readonly Problem[]
  /** The call of the row; by default that of the set. */
  by?: Origin
}

/**
 * Changes the sent fields of records of one resource, and no others. No other function changes records. The rows name
 * different records. Returns the outcomes of the first rows, one at least. A row is left for the next set if it sends a
 * value that another row may free. Spec, Request and response rules 2.
 */
export async function updateRecords(
  set: WriteSet,
  definition: Definition,
  rows: readonly ChangedRow[],
  prefetched?: PrefetchedRow,
): Promise<Outcomes<ChangeResult>> {
  const found = foundIn(definition, prefetched ?? (await prefetchRows(set, definition, rows, prefetchForUpdate)))
  const sumsAt = await judgedSums(set, definition, rows, (place) => {
    const held = found.held(place)
    return held && JSON.parse(held.json)
  })
  const today = await readToday(set)
  const outcomes: Outcomes<ChangeResult> = []
  const targets = new Set<number>()
  const taken = new Set<string>()
  const accepted: AcceptedChange[] = []
  for (const [place, row] of rows.entries()) {
    await set.breathe()
    const { id } = row
    const values = found.values(place)
    if (values.some(({ holder }) => holder !== null && holder !== id && targets.has(holder))) break
    if (id !== null) targets.add(id)
    const seen = found.at(place, id)
    for (const { field, key } of values) if (taken.has(key)) seen[takenColumn(field)] = true
    const outcome = await judge(set, definition, {
      ...row,
      place,
      seen,
      held: found.held(place),
      sums: sumsAt[place],
      today,
    })
    if (outcome instanceof Refusal) {
      outcomes[place] = outcome
      continue
    }
    for (const { key } of values) taken.add(key)
    const { before, rest } = outcome
    outcomes[place] = rest.updated ? undefined : { ...showToAuthor(set.actor, definition, before), ...rest }
    if (rest.updated) accepted.push(outcome)
  }
  if (accepted.length > 0) await write(set, definition, outcomes, accepted)
  if (settlingReferences(definition).length > 0 && !set.late.isUndone)
    await settle(
      set,
      definition,
      accepted.map(({ by, before, values }) => ({ by, records: [JSON.parse(before.json), values] })),
    )
  return outcomes
}

/** A record that is accepted: its state before, its values after, and the changes for the log. */
type AcceptedChange = RowToWrite<Omit<ChangeResult, keyof WrittenRow>> & {
  by: Origin
  before: WrittenRow
  changes: JsonObject
  isIssued: boolean
}

type JudgedRow = ChangedRow & {
  place: number
  seen: JsonObject
  held: WrittenRow | undefined
  sums: SumValues | undefined
  today(): string
}

async function judge(
  set: WriteSet,
  definition: Definition,
  { place, body, expected, lost = [], by = set.actor, seen, held, sums, today }: JudgedRow,
): Promise<AcceptedChange | Refusal> {
  const { actor } = set
  try {
    requireHeldRecord(held ?? null, expected)
    const row = held as WrittenRow
    const before = JSON.parse(row.json) as JsonObject
    refuseStale(definition, { body, before, seen })
    const isBlind = isUnseen(definition, actor.lacksRights)
    const sent = namesSent(definition, body)
    const asChanged = isBlind ? sent : []
    const judged = { body, before, prefetched: seen, sums, today, asChanged }
    const { record: after, problems, doubts, today: day } = judgeRecord(actor, definition, judged)
    const unapproved = refuseApproval(actor, definition, before, after)
    if (unapproved) return unapproved
    if (problems.length === 0 && lost.length === 0)
      problems.push(...(await checkCircles(set, definition, after, before)))
    if (problems.length > 0 || lost.length > 0) return refusalOf(problems, lost)
    const { changed, changes } = differences(definition, before, after)
    const effect = { read: readOf(definition, seen), doubts, today: day }
    const rest = isBlind ? { updated: true, changed: sent, effect } : { updated: changed.length > 0, changed, effect }
    const written = { values: after, changes, isIssued: isIssued(definition, before, after) }
    return { place, id: row.id, version: row.version + 1, by, before: row, ...written, rest }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return lost.length > 0 ? refusalOf([], lost) : error
  }
}

function write(
  set: WriteSet,
  definition: Definition,
  outcomes: Outcomes<ChangeResult>,
  accepted: readonly AcceptedChange[],
): Promise<void> {
  const names = [...new Set(accepted.flatMap(({ changes }) => Object.keys(changes)))]
  const updates = accepted.map(({ before: { id, version }, by, values: after, changes }) => {
    const values = Object.fromEntries(names.map((name): [string, Json] => [name, after[name] ?? null]))
    return { id, version, by, values, changes }
  })
  const issued = accepted.filter((one) => one.isIssued)
  return writeRows(set, definition, outcomes, accepted, (isShown) => [
    ...updateHeld({ author: set.actor, definition, updates, names, isShown }),
    ...papersOf(set.actor, definition, issued),
  ])
}

/** Returns the fields of a body, in the order of the record. */
const namesSent = (definition: Definition, body: Json): string[] =>
  isObject(body) ? columnsOf(definition).flatMap(([name]) => (Object.hasOwn(body, name) ? [name] : [])) : []

/**
 * Throws a conflict if a reference that is read has changed since its record was locked, which was before this one. The
 * transaction then starts anew. A sent one stands for it, unless the record that it leaves is settled.
 */
function refuseStale(
  definition: Definition,
  { body, before, seen }: { body: Json; before: JsonObject; seen: JsonObject },
): void {
  const reading = readingReferences(definition)
  if (reading.length === 0) return
  const sent = sentOf(definition, body)
  const settling = settlingReferences(definition)
  for (const name of reading) {
    if ((sent[name] ?? null) !== null && !settling.includes(name)) continue
    if ((seen[wasColumn(name)] ?? null) !== (before[name] ?? null)) throw conflict()
  }
}
