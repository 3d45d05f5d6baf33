import { planIsFull } from '#derive/refusals.ts'
import type { Definition, Problem } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { isPlanLimited, planLimit } from '#registry/subscription.ts'
import type { Origin } from '#sql/author.ts'
import { drawRecordIds, insertRecords } from '#sql/records/insert.ts'
import { type LookUpRow, prefetchForCreate } from '#sql/records/prefetch.ts'
import { slotsUsed, takeSlots } from '#sql/system/quota.ts'
import { judgeRecord, readOf, sentOf, takenColumn } from './check.ts'
import { type PrefetchedRow, readPrefetch as prefetching } from './command.ts'
import { foundIn, type SetFacts } from './look-up.ts'
import { numbersOf } from './numbers.ts'
import type { ReadRecord } from './preview.ts'
import { planLimitInForce } from './quota.ts'
import { refuseApproval } from './rights.ts'
import {
  canTravel,
  type Outcomes,
  refusalOf,
  sendUnique,
  showToAuthor,
  type WriteResult,
  type WriteSet,
  writeUnique,
  writtenTogether,
} from './write-set.ts'

/** `lost` are fields that stand for a refused record. */
export type NewRow = {
  body: Json
  lost?: readonly Problem[]
  /** The call of the row; by default that of the set. */
  by?: Origin
}

type AcceptedRecord = { place: number; by: Origin; record: JsonObject; fields: string[]; read: ReadRecord[] }

/**
 * Creates records of one resource: looks them up together, checks each, and writes them together. No other function
 * creates records, for any caller or channel. Spec, Request and response rules 1.
 */
export async function createRecords(
  set: WriteSet,
  definition: Definition,
  rows: readonly NewRow[],
  prefetched?: PrefetchedRow,
): Promise<Outcomes<WriteResult>> {
  const found = foundIn(definition, prefetched === undefined ? await prefetch(set, definition, rows) : prefetched)
  const outcomes: Outcomes<WriteResult> = Array.from(rows, () => undefined)
  const giveNumbers = numbersOf(
    set,
    definition,
    rows.map(({ body }) => body),
  )
  const taken = new Set<string>()
  const accepted: AcceptedRecord[] = []
  for (const [place, { body, lost = [], by = set.actor }] of rows.entries()) {
    await set.breathe()
    const seen = found.at(place, null)
    const values = found.values(place)
    for (const { field, key } of values) if (taken.has(key)) seen[takenColumn(field)] = true
    const { record, problems } = judgeRecord(definition, { body, before: null, prefetched: seen })
    const unapproved = refuseApproval(set.actor, definition, null, record)
    if (unapproved || problems.length > 0 || lost.length > 0) {
      outcomes[place] = unapproved ?? refusalOf(problems, lost)
      continue
    }
    for (const { key } of values) taken.add(key)
    const fields = await giveNumbers(record, place, taken)
    accepted.push({ place, by, record, fields, read: readOf(definition, seen) })
  }
  const withSlot = await withSlots(set, definition, { accepted, found, outcomes })
  const placed = await withIds(set, definition, withSlot, found)
  const { currency } = found
  for (let from = 0; from < placed.length && !set.late.isUndone; from += writtenTogether) {
    await insert(set, definition, outcomes, { placed: placed.slice(from, from + writtenTogether), currency })
    await set.breathe()
  }
  return outcomes
}

async function prefetch(set: WriteSet, definition: Definition, rows: readonly NewRow[]): Promise<PrefetchedRow> {
  const asked: LookUpRow[] = []
  for (const { body } of rows) {
    asked.push({ sent: sentOf(definition, body) })
    await set.breathe()
  }
  return prefetching(set.transaction, { prefetch: prefetchForCreate(set.actor.companyId, definition, asked) })
}

/** A record to be created, with its id. */
type NumberedRecord = AcceptedRecord & { id: number }

/** Draws the ids that the look-up has not drawn. */
async function withIds(
  { transaction }: WriteSet,
  definition: Definition,
  accepted: readonly AcceptedRecord[],
  found: SetFacts,
): Promise<readonly NumberedRecord[]> {
  const without = accepted.filter(({ place }) => found.newId(place) === undefined)
  const drawn =
    without.length > 0 ? await transaction.run<{ id: number }>(drawRecordIds(definition, without.length)) : []
  const ids = drawn.map(({ id }) => id)
  return accepted.map((one) => ({ ...one, id: found.newId(one.place) ?? (ids.shift() as number) }))
}

async function insert(
  set: WriteSet,
  definition: Definition,
  outcomes: Outcomes<WriteResult>,
  { placed, currency }: { placed: readonly NumberedRecord[]; currency: string },
): Promise<void> {
  const { actor } = set
  const effectOf = ({ id, read, fields }: NumberedRecord) => ({
    read,
    numbered: { records: definition.name, id, fields },
  })
  const records = placed.map(({ id, by, record }) => ({ id, by, values: record }))
  if (canTravel(set, definition)) {
    sendUnique(set, definition, insertRecords({ author: actor, definition, records }))
    for (const one of placed) outcomes[one.place] = { id: one.id, version: 1, json: null, effect: effectOf(one) }
    return
  }
  const written = await writeUnique(set, definition, outcomes, {
    rows: placed.map(({ place, record }) => ({ place, values: record, id: null })),
    statements: insertRecords({ author: actor, definition, records, currency }),
  })
  const byId = new Map(written.map((row) => [row.id, row]))
  for (const one of placed) {
    const row = byId.get(one.id)
    if (row) outcomes[one.place] = { ...showToAuthor(actor, definition, row), effect: effectOf(one) }
  }
}

type JudgedSet = { accepted: readonly AcceptedRecord[]; found: SetFacts; outcomes: Outcomes<WriteResult> }

/** Takes quota slots of the plan. Returns the rows that have one; the others are refused. */
async function withSlots(
  { transaction, actor: { companyId } }: WriteSet,
  definition: Definition,
  { accepted, found, outcomes }: JudgedSet,
): Promise<readonly AcceptedRecord[]> {
  const { name } = definition
  if (!isPlanLimited(name) || accepted.length === 0) return accepted
  const limit = found.plan ? planLimit(found.plan, name) : await planLimitInForce(transaction, companyId, definition)
  if (limit === null) return accepted
  const take = async (slots: number) => (await transaction.run(takeSlots(companyId, name, limit, slots))).length > 0
  if (await take(accepted.length)) return accepted
  const [row] = await transaction.run<{ used: number }>(slotsUsed(companyId, name))
  const used = row?.used ?? 0
  const left = Math.min(accepted.length, Math.max(0, limit - used))
  const room = left > 0 && (await take(left)) ? left : 0
  for (const { place } of accepted.slice(room)) outcomes[place] = planIsFull(name, limit, used + room)
  return accepted.slice(0, room)
}
