import { planIsFull } from '#derive/refused.ts'
import type { Definition, Problem } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { isPlanLimited, planLimit } from '#registry/plans.ts'
import type { Origin } from '#sql/author.ts'
import { type LookUpRow, prefetchForCreate } from '#sql/records/prefetch.ts'
import { insertRecords, type WrittenRow } from '#sql/records/sets.ts'
import { slotsUsed, takeSlots } from '#sql/system/quota.ts'
import { judged, readOf, sentOf, takenColumn } from './check-record.ts'
import { type Prefetched, prefetched as prefetching } from './command.ts'
import { type Found, foundIn } from './look-up.ts'
import { numbersOf } from './numbers.ts'
import { planLimitInForce } from './plan.ts'
import { refuseApproval } from './rights.ts'
import type { ReadRecord } from './write-plan.ts'
import {
  type Outcomes,
  refusalOf,
  shownTo,
  type WriteSet,
  type Written,
  writeUnique,
  writtenTogether,
} from './write-set.ts'

/** `lost` are fields that stand for a record which is refused itself. */
export type NewRow = {
  body: Json
  lost?: readonly Problem[]
  /** The call that it comes from; by default that of the set. */
  by?: Origin
}

type Accepted = { place: number; by: Origin; record: JsonObject; fields: string[]; read: ReadRecord[] }

/**
 * Creates records of one resource: looked up together, judged one by one, written together. No other function does,
 * whoever asks and through whichever channel. Spec, Request and response rules 1.
 */
export async function createRecords(
  set: WriteSet,
  definition: Definition,
  rows: readonly NewRow[],
  prefetched?: Prefetched,
): Promise<Outcomes<Written>> {
  const found = foundIn(definition, prefetched === undefined ? await prefetch(set, definition, rows) : prefetched)
  const outcomes: Outcomes<Written> = Array.from(rows, () => undefined)
  const giveNumbers = numbersOf(
    set,
    definition,
    rows.map(({ body }) => body),
  )
  const taken = new Set<string>()
  const accepted: Accepted[] = []
  for (const [place, { body, lost = [], by = set.actor }] of rows.entries()) {
    await set.breathe()
    const seen = found.at(place, null)
    const values = found.values(place)
    for (const { field, key } of values) if (taken.has(key)) seen[takenColumn(field)] = true
    const { record, problems } = judged(definition, { body, before: null, prefetched: seen })
    const unapproved = refuseApproval(set.actor, definition, null, record)
    if (unapproved || problems.length > 0 || lost.length > 0) {
      outcomes[place] = unapproved ?? refusalOf(problems, lost)
      continue
    }
    for (const { key } of values) taken.add(key)
    const fields = await giveNumbers(record, place, taken)
    accepted.push({ place, by, record, fields, read: readOf(definition, seen) })
  }
  const placed = await withSlots(set, definition, { accepted, found, outcomes })
  for (let from = 0; from < placed.length && !set.late.isUndone; from += writtenTogether) {
    await insert(set, definition, outcomes, placed.slice(from, from + writtenTogether))
    await set.breathe()
  }
  return outcomes
}

async function prefetch(set: WriteSet, definition: Definition, rows: readonly NewRow[]): Promise<Prefetched> {
  const asked: LookUpRow[] = []
  for (const { body } of rows) {
    asked.push({ sent: sentOf(definition, body) })
    await set.breathe()
  }
  return prefetching(set.transaction, { prefetch: prefetchForCreate(set.actor.companyId, definition, asked) })
}

async function insert(
  set: WriteSet,
  definition: Definition,
  outcomes: Outcomes<Written>,
  accepted: readonly Accepted[],
): Promise<void> {
  const { transaction, actor } = set
  const rows = accepted.map(({ place, record }) => ({ place, values: record, id: null }))
  const insert = insertRecords(
    actor,
    definition,
    accepted.map(({ by, record }) => ({ by, values: record })),
  )
  const written = await writeUnique(set, definition, outcomes, rows, () => transaction.run<WrittenRow>(insert))
  // Their ids were drawn in the order in which they were sent.
  for (const [index, created] of written.toSorted((one, other) => one.id - other.id).entries()) {
    const { place, fields, read } = accepted[index] as Accepted
    outcomes[place] = {
      ...shownTo(actor, definition, created),
      effect: { read, numbered: { records: definition.name, id: created.id, fields } },
    }
  }
}

type Judged = { accepted: readonly Accepted[]; found: Found; outcomes: Outcomes<Written> }

/** Takes quota slots of the plan. Returns the rows that have one; the others are refused. */
async function withSlots(
  { transaction, actor: { companyId } }: WriteSet,
  definition: Definition,
  { accepted, found, outcomes }: Judged,
): Promise<readonly Accepted[]> {
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
