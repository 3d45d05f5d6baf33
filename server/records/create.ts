import { planIsFull } from '#derive/refusals.ts'
import type { Definition, Problem } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { isPlanLimited, planLimit } from '#registry/subscription.ts'
import type { Origin } from '#sql/author.ts'
import { drawRecordIds, insertRecords } from '#sql/records/insert.ts'
import { prefetchForCreate } from '#sql/records/prefetch.ts'
import { slotsUsed, takeSlots, takeSlotsOrFail } from '#sql/system/quota.ts'
import { isPlanFull } from '../store/faults.ts'
import { judgeRecord, readOf, takenColumn } from './check.ts'
import { foundIn, type PrefetchedRow, type SetFacts } from './look-up.ts'
import { numbersOf } from './numbers.ts'
import { isIssued, papersOf } from './papers.ts'
import type { Effect } from './preview.ts'
import { heldPlan } from './quota.ts'
import { refuseApproval } from './rights.ts'
import { settle } from './settle.ts'
import { judgedSums } from './sums.ts'
import { readToday } from './today.ts'
import {
  canTravel,
  type Outcomes,
  prefetchRows,
  refusalOf,
  retryLate,
  type WriteResult,
  type WriteSet,
  writeRows,
  writtenTogether,
} from './write-set.ts'

/** `lost` are fields that stand for a refused record. */
export type NewRow = {
  body: Json
  lost?: readonly Problem[]
  /** The call of the row; by default that of the set. */
  by?: Origin
}

type AcceptedRecord = Required<Pick<Effect, 'read' | 'doubts' | 'today'>> & {
  place: number
  by: Origin
  values: JsonObject
  fields: string[]
}

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
  const found = foundIn(definition, prefetched ?? (await prefetchRows(set, definition, rows, prefetchForCreate)))
  const sumsAt = await judgedSums(set, definition, rows)
  const today = await readToday(set)
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
    const judged = { body, before: null, prefetched: seen, sums: sumsAt[place], today }
    const { record, problems, doubts, today: day } = judgeRecord(set.actor, definition, judged)
    const unapproved = refuseApproval(set.actor, definition, null, record)
    if (unapproved || problems.length > 0 || lost.length > 0) {
      outcomes[place] = unapproved ?? refusalOf(problems, lost)
      continue
    }
    for (const { key } of values) taken.add(key)
    const fields = await giveNumbers(record, place, taken)
    accepted.push({ place, by, values: record, fields, read: readOf(definition, seen), doubts, today: day })
  }
  const withSlot = await withSlots(set, definition, { accepted, found, outcomes })
  const placed = await withIds(set, definition, withSlot, found)
  for (let from = 0; from < placed.length && !set.late.isUndone; from += writtenTogether) {
    const records = placed.slice(from, from + writtenTogether)
    const issued = records.filter(({ values }) => isIssued(definition, null, values))
    await writeRows(set, definition, outcomes, records, (isShown) => [
      ...insertRecords({ author: set.actor, definition, records, currency: isShown ? found.currency : undefined }),
      ...papersOf(set.actor, definition, issued),
    ])
    await set.breathe()
  }
  if (!set.late.isUndone)
    await settle(
      set,
      definition,
      placed.map(({ by, values }) => ({ by, records: [values] })),
    )
  return outcomes
}

/** Draws the ids that the look-up has not drawn. */
async function withIds(
  { transaction }: WriteSet,
  definition: Definition,
  accepted: readonly AcceptedRecord[],
  found: SetFacts,
) {
  const without = accepted.filter(({ place }) => found.newId(place) === undefined)
  const drawn =
    without.length > 0 ? await transaction.run<{ id: number }>(drawRecordIds(definition, without.length)) : []
  const ids = drawn.map(({ id }) => id)
  return accepted.map(({ read, doubts, today, fields, ...one }) => {
    const id = found.newId(one.place) ?? (ids.shift() as number)
    const effect: Effect = { read, doubts, today, numbered: { records: definition.name, id, fields } }
    return { ...one, id, version: 1, rest: { effect } }
  })
}

type JudgedSet = { accepted: readonly AcceptedRecord[]; found: SetFacts; outcomes: Outcomes<WriteResult> }

/**
 * Takes quota slots of the plan. Returns the rows that have one; the others are refused. Where the statements are sent
 * with the commit and there is room by the look-up, so is this one: the last slot may go to another transaction.
 */
async function withSlots(
  set: WriteSet,
  definition: Definition,
  { accepted, found, outcomes }: JudgedSet,
): Promise<readonly AcceptedRecord[]> {
  const { transaction, actor } = set
  const { companyId } = actor
  const { name } = definition
  if (!isPlanLimited(name) || accepted.length === 0) return accepted
  const limit = planLimit(found.plan ?? (await heldPlan(set)), name)
  if (limit === null) return accepted
  if (canTravel(set, definition) && found.used !== undefined && found.used + accepted.length <= limit) {
    transaction.send(takeSlotsOrFail(companyId, name, limit, accepted.length))
    retryLate(set, isPlanFull)
    return accepted
  }
  const take = async (slots: number) => (await transaction.run(takeSlots(companyId, name, limit, slots))).length > 0
  if (await take(accepted.length)) return accepted
  const [row] = await transaction.run<{ used: number }>(slotsUsed(companyId, name))
  const used = row?.used ?? 0
  const left = Math.min(accepted.length, Math.max(0, limit - used))
  const room = left > 0 && (await take(left)) ? left : 0
  for (const { place } of accepted.slice(room)) outcomes[place] = planIsFull(name, limit, used + room)
  return accepted.slice(0, room)
}
