import { planIsFull } from '#derive/refused.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { isPlanLimited } from '#registry/plans.ts'
import { type Sent, takenColumn } from '#sql/records/prefetch.ts'
import { type HolderRow, holdersOf, insertRecords, nextNumbers } from '#sql/records/sets.ts'
import type { WrittenRow } from '#sql/records/write.ts'
import { slotsUsed, takeSlots } from '#sql/system/quota.ts'
import { judged, readOf, sentOf } from '../check-record.ts'
import { planLimitInForce } from '../plan.ts'
import type { ReadRecord } from '../write-plan.ts'
import { prefetchSet } from './prefetch-set.ts'
import { type Run, refusalOf, resolved, type WantedRow, writtenTogether } from './run.ts'
import { uniquely } from './uniquely.ts'

/** New records of one resource: looked up together, judged one by one, and written together. */
export async function createSet(run: Run, definition: Definition, rows: readonly WantedRow[]): Promise<void> {
  const asked = rows.map((row) => ({ row, ...resolved(run, row) }))
  const sent: Sent[] = []
  for (const { body } of asked) {
    sent.push(sentOf(definition, body))
    await run.breathe()
  }
  const found = await prefetchSet(run, definition, sent)
  const numbers = await numbersFor(run, definition, asked)
  const given = new Set<string>()
  const accepted: Accepted[] = []
  for (const [index, { row, body, lost }] of asked.entries()) {
    await run.breathe()
    const prefetched = found.prefetched(index, null)
    const values = found.values(index)
    for (const { field, key } of values) if (given.has(key)) prefetched[takenColumn(field)] = true
    const { record, problems } = judged(definition, { body, before: null, prefetched })
    if (problems.length > 0 || lost.length > 0) {
      run.outcomes[row.n] = refusalOf(problems, lost)
      continue
    }
    for (const { key } of values) given.add(key)
    const fields = await numbers.give(record, given)
    accepted.push({ row, record, fields, read: readOf(definition, prefetched) })
  }
  const placed = await withSlots(run, definition, accepted)
  for (let from = 0; from < placed.length; from += writtenTogether) {
    await insert(run, definition, placed.slice(from, from + writtenTogether))
    await run.breathe()
  }
}

type Accepted = { row: WantedRow; record: JsonObject; fields: string[]; read: ReadRecord[] }

async function insert(run: Run, definition: Definition, accepted: readonly Accepted[]): Promise<void> {
  const { transaction, actor, outcomes } = run
  const records = accepted.map(({ record }) => record)
  const written = await uniquely(
    run,
    definition,
    accepted.map(({ row, record }) => ({ row, values: record, id: null })),
    () => transaction.run<WrittenRow>(insertRecords(actor, definition, records)),
  )
  // Their ids were given in the order in which they were sent.
  for (const [index, created] of written.toSorted((one, other) => one.id - other.id).entries()) {
    const { row, fields, read } = accepted[index] as Accepted
    const effect = { read, numbered: { records: definition.name, id: created.id, fields } }
    outcomes[row.n] = { created: { ...created, effect } }
  }
}

/** Of those that are accepted, the ones for which the plan has a slot; the others are refused. */
async function withSlots(
  run: Run,
  definition: Definition,
  accepted: readonly Accepted[],
): Promise<readonly Accepted[]> {
  const { transaction, actor, outcomes } = run
  const { name } = definition
  if (!isPlanLimited(name) || accepted.length === 0) return accepted
  const limit = await planLimitInForce(transaction, actor.companyId, definition)
  if (limit === null) return accepted
  const take = (slots: number) => transaction.run(takeSlots(actor.companyId, name, limit, slots))
  if ((await take(accepted.length)).length > 0) return accepted
  const [row] = await transaction.run<{ used: number }>(slotsUsed(actor.companyId, name))
  const room = Math.max(0, limit - (row?.used ?? 0))
  if (room > 0) await take(room)
  for (const { row } of accepted.slice(room)) outcomes[row.n] = { refusal: planIsFull(name, limit, limit) }
  return accepted.slice(0, room)
}

/** Which fields of the record got a number. */
type Numbers = { give(record: JsonObject, given: Set<string>): Promise<string[]> }

/** Running numbers for the records that have none, taken at once; what somebody gave by hand is passed over. */
async function numbersFor(
  { transaction, actor }: Run,
  definition: Definition,
  asked: readonly { body: JsonObject }[],
): Promise<Numbers> {
  const { companyId } = actor
  const numbered = Object.entries(definition.fields).flatMap(([name, field]) =>
    field.kind === 'text' && field.numbered !== undefined ? [{ name, prefix: field.numbered }] : [],
  )
  const free = new Map<string, string[]>()
  const take = async (name: string, prefix: string, count: number): Promise<void> => {
    const [row] = await transaction.run<{ last: number }>(nextNumbers(companyId, definition.name, count))
    const last = row?.last as number
    const taken = Array.from(
      { length: count },
      (_, index) => prefix + String(last - count + 1 + index).padStart(6, '0'),
    )
    const rows = await transaction.run<HolderRow>(holdersOf(companyId, definition, name, taken))
    const held = new Set(rows.filter(({ holder }) => holder !== null).map(({ place }) => place - 1))
    free.set(name, [...(free.get(name) ?? []), ...taken.filter((_, index) => !held.has(index))])
  }
  for (const { name, prefix } of numbered) {
    const without = asked.filter(({ body }) => (body[name] ?? null) === null).length
    if (without > 0) await take(name, prefix, without)
  }
  return {
    async give(record, given) {
      const without = numbered.filter(({ name }) => record[name] === null)
      for (const { name, prefix } of without) {
        while (record[name] === null) {
          const number = free.get(name)?.shift()
          if (number === undefined) await take(name, prefix, 1)
          else if (!given.has(`${name} ${number.toLowerCase()}`)) {
            given.add(`${name} ${number.toLowerCase()}`)
            record[name] = number
          }
        }
      }
      return without.map(({ name }) => name)
    },
  }
}
