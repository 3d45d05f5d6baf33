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

/** `id` is null if the record is named by a reference that leads to none. */
export type ChangedRow = {
  id: number | null
  body: Json
  expected: ExpectedVersion
  lost?: readonly Problem[]
  /** The call that it comes from; by default that of the set. */
  by?: Origin
}

/**
 * Changes the fields sent of records of one resource, and no other field. No other function does. The rows name different
 * records. Returns the outcomes of the first rows, one at least: a row that sends a value which another row may let go
 * of is left for the next set. Spec, Request and response rules 2.
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

/** What has to be looked up for rows. */
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
    // Whether a value that is sent is the one that is there already is not told to whoever may not read it.
    const told = isUnseen(definition, actor.lacksRights)
      ? {
          previewed: namesSent(definition, body),
          effect: { read, asked: { records: definition.name, id: held?.id as number } },
        }
      : { previewed: different.changed, effect: { read } }
    return { place, by, before: held as WrittenRow, after, ...different, ...told }
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

/** The fields that a body has, in the order in which the record has them. */
const namesSent = (definition: Definition, body: Json): string[] =>
  isObject(body) ? columnsOf(definition).flatMap(([name]) => (Object.hasOwn(body, name) ? [name] : [])) : []

/** The fields that differ, and what the log says of each. */
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

/** What the rules read was locked before the record: by then it may lead elsewhere, and the transaction starts anew. */
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
