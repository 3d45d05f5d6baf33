import { isUnseen } from '#derive/visible.ts'
import type { Definition, Problem } from '#registry/definition.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { Refusal } from '#registry/refusals.ts'
import type { Origin } from '#sql/author.ts'
import { columnsOf } from '#sql/records/columns.ts'
import type { WrittenRow } from '#sql/records/insert.ts'
import { prefetchForUpdate, readingReferences, wasColumn } from '#sql/records/prefetch.ts'
import { type UpdateOfSet, updateHeld } from '#sql/records/update.ts'
import { conflict } from '#sql/statement.ts'
import { checkCircles, isSameJson, judgeRecord, readOf, sentOf, takenColumn } from './check.ts'
import { type PrefetchedRow, readPrefetch as prefetching } from './command.ts'
import { type ExpectedVersion, expectVersion } from './expected.ts'
import { foundIn } from './look-up.ts'
import type { Effect } from './preview.ts'
import { refuseApproval } from './rights.ts'
import {
  type ChangeResult,
  canTravel,
  type Outcomes,
  refusalOf,
  sendUnique,
  showToAuthor,
  type WriteSet,
  writeUnique,
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
  const found = foundIn(definition, prefetched === undefined ? await prefetch(set, definition, rows) : prefetched)
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
    const outcome = await judge(set, definition, { place, row, seen, held: found.held(place) })
    if (outcome instanceof Refusal) {
      outcomes[place] = outcome
      continue
    }
    for (const { key } of values) taken.add(key)
    const { before, changed, previewed, effect } = outcome
    outcomes[place] = { ...showToAuthor(set.actor, definition, before), changed, previewed, effect }
    if (changed.length > 0) accepted.push(outcome)
  }
  await write(set, definition, outcomes, accepted)
  return outcomes
}

const prefetch = ({ transaction, actor }: WriteSet, definition: Definition, rows: readonly ChangedRow[]) =>
  prefetching(transaction, { prefetch: prefetchForUpdate(actor.companyId, definition, lookUpRows(definition, rows)) })

/** Returns the look-ups for rows. */
export const lookUpRows = (definition: Definition, rows: readonly ChangedRow[]) =>
  rows.map(({ id, body }) => ({ id, sent: sentOf(definition, body) }))

type AcceptedChange = {
  place: number
  by: Origin
  before: WrittenRow
  changed: string[]
  previewed: string[]
  after: JsonObject
  changes: JsonObject
  effect: Effect
}

type JudgedRow = { place: number; row: ChangedRow; seen: JsonObject; held: WrittenRow | undefined }

async function judge(
  { transaction, actor }: WriteSet,
  definition: Definition,
  { place, row: { body, expected, lost = [], by = actor }, seen, held }: JudgedRow,
): Promise<AcceptedChange | Refusal> {
  try {
    const { json } = requireHeldRecord(held ?? null, expected)
    const before = JSON.parse(json) as JsonObject
    refuseStale(definition, { body, before, seen })
    const { record: after, problems } = judgeRecord(definition, { body, before, prefetched: seen })
    const unapproved = refuseApproval(actor, definition, before, after)
    if (unapproved) return unapproved
    if (problems.length === 0 && lost.length === 0)
      problems.push(...(await checkCircles(transaction, actor, definition, after, before)))
    if (problems.length > 0 || lost.length > 0) return refusalOf(problems, lost)
    const different = differences(definition, before, after)
    const read = readOf(definition, seen)
    // An actor who may not read the record is not shown whether a sent value is the stored one.
    const shown = isUnseen(definition, actor.lacksRights)
      ? {
          previewed: namesSent(definition, body),
          effect: { read, asked: { records: definition.name, id: held?.id as number } },
        }
      : { previewed: different.changed, effect: { read } }
    return { place, by, before: held as WrittenRow, after, ...different, ...shown }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return lost.length > 0 ? refusalOf([], lost) : error
  }
}

async function write(
  set: WriteSet,
  definition: Definition,
  outcomes: Outcomes<ChangeResult>,
  accepted: readonly AcceptedChange[],
): Promise<void> {
  if (accepted.length === 0) return
  const { actor } = set
  const names = [...new Set(accepted.flatMap(({ changed }) => changed))]
  const updates = accepted.map(
    ({ by, before, after, changes }): UpdateOfSet => ({
      id: before.id,
      version: before.version,
      by,
      values: Object.fromEntries(names.map((name): [string, Json] => [name, after[name] ?? null])),
      changes,
    }),
  )
  const statements = (isShown: boolean) => updateHeld({ author: actor, definition, updates, names, isShown })
  if (canTravel(set, definition)) {
    sendUnique(set, definition, statements(false))
    for (const { place, before, changed, previewed, effect } of accepted)
      outcomes[place] = { id: before.id, version: before.version + 1, json: null, changed, previewed, effect }
    return
  }
  const written = await writeUnique(set, definition, outcomes, {
    rows: accepted.map(({ place, before, after }) => ({ place, values: after, id: before.id })),
    statements: statements(true),
  })
  const byId = new Map(written.map((row) => [row.id, row]))
  for (const { place, before, changed, previewed, effect } of accepted) {
    const now = byId.get(before.id)
    if (now) outcomes[place] = { ...showToAuthor(actor, definition, now), changed, previewed, effect }
    else if (!(outcomes[place] instanceof Refusal)) outcomes[place] = undefined
  }
}

/** Returns the fields of a body, in the order of the record. */
const namesSent = (definition: Definition, body: Json): string[] =>
  isObject(body) ? columnsOf(definition).flatMap(([name]) => (Object.hasOwn(body, name) ? [name] : [])) : []

/** Returns the fields that differ, and their changes for the log. */
function differences(definition: Definition, before: JsonObject, after: JsonObject) {
  const changed = columnsOf(definition)
    .map(([name]) => name)
    .filter((name) => !isSameJson(after[name], before[name]))
  const changes = Object.fromEntries(
    changed.map((name): [string, Json] => [name, [before[name] ?? null, after[name] ?? null]]),
  )
  return { changed, changes }
}

/** Returns the live record that was prefetched. Throws if there is none or its version is not the one expected. */
export function requireHeldRecord(
  prefetched: PrefetchedRow,
  expected: ExpectedVersion,
): { version: number; json: string } {
  if (!prefetched) throw new Refusal('not_found')
  const { version, json } = prefetched as { version: number; json: string }
  expectVersion(version, expected)
  return { version, json }
}

/**
 * Throws a conflict if a reference that rules read has changed since its record was locked, which was before this one.
 * The transaction then starts anew.
 */
function refuseStale(
  definition: Definition,
  { body, before, seen }: { body: Json; before: JsonObject; seen: JsonObject },
): void {
  const reading = readingReferences(definition)
  if (reading.length === 0) return
  const sent = sentOf(definition, body)
  for (const name of reading)
    if ((sent[name] ?? null) === null && (seen[wasColumn(name)] ?? null) !== (before[name] ?? null)) throw conflict()
}
