import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { Refusal } from '#registry/refusals.ts'
import { takenColumn } from '#sql/records/prefetch.ts'
import { type HeldRow, heldRecords, type UpdateOfSet, updateRecords } from '#sql/records/sets.ts'
import type { WrittenRow } from '#sql/records/write.ts'
import { circles, judged, readOf, referencesOf, sentOf } from '../check-record.ts'
import type { Effect } from '../write-plan.ts'
import { differences, heldRecord } from '../write-record.ts'
import { prefetchSet } from './prefetch-set.ts'
import { idsOfReferences } from './reference.ts'
import { type Run, refusalOf, resolved, type WantedRow, writtenTogether } from './run.ts'
import { uniquely } from './uniquely.ts'

/** Changes to records of one resource, so many at a time as do not use what another of them does. */
export async function updateSet(run: Run, definition: Definition, rows: readonly WantedRow[]): Promise<void> {
  for (let rest = rows; rest.length > 0; )
    rest = rest.slice(await updateSome(run, definition, rest.slice(0, writtenTogether)))
}

type Asked = { row: WantedRow; id: number | null; body: JsonObject; lost: ReturnType<typeof resolved>['lost'] }

/** How many of the rows were done. */
async function updateSome(run: Run, definition: Definition, rows: readonly WantedRow[]): Promise<number> {
  const { transaction, actor } = run
  const ids = await targetsOf(run, definition, rows)
  const apart = untilRepeated(definition, rows, ids)
  const asked = rows
    .slice(0, apart)
    .map((row, index): Asked => ({ row, id: ids[index] ?? null, ...resolved(run, row) }))
  const wanted = asked.flatMap(({ id }) => (id === null ? [] : [id]))
  const held = new Map(
    (await transaction.run<HeldRow>(heldRecords(actor.companyId, definition, wanted))).map((row) => [row.id, row]),
  )
  const before = asked.map(({ id }) => (id === null ? undefined : held.get(id)))
  const records = before.map((found) => (found ? (JSON.parse(found.json) as JsonObject) : null))
  const looked = await prefetchSet(
    run,
    definition,
    asked.map(({ body }, index) => ({
      ...leadsToNow(definition, records[index] ?? null),
      ...sentNotNull(definition, body),
    })),
  )

  const targets = new Set<number>()
  const given = new Set<string>()
  const accepted: Accepted[] = []
  for (const [index, { row, id, body, lost }] of asked.entries()) {
    await run.breathe()
    // A value that another of these rows may let go of is looked up when that is done.
    const values = looked.values(index)
    if (values.some(({ holder }) => holder !== null && holder !== id && targets.has(holder))) {
      await write(run, definition, accepted)
      return index
    }
    if (id !== null) targets.add(id)
    const found = before[index]
    const prefetched = looked.prefetched(index, id)
    for (const { field, key } of values) if (given.has(key)) prefetched[takenColumn(field)] = true
    const judgedRow = await judge(run, definition, { row, body, lost, found, prefetched })
    if (!judgedRow) continue
    for (const { key } of values) given.add(key)
    accepted.push(judgedRow)
  }
  await write(run, definition, accepted)
  return asked.length
}

type Accepted = {
  row: WantedRow
  before: HeldRow
  changed: string[]
  after: JsonObject
  changes: JsonObject
  effect: Effect
}

type Judging = Pick<Asked, 'row' | 'body' | 'lost'> & { found: HeldRow | undefined; prefetched: JsonObject }

async function judge(
  { transaction, actor, outcomes }: Run,
  definition: Definition,
  { row, body, lost, found, prefetched }: Judging,
): Promise<Accepted | undefined> {
  try {
    const { json } = heldRecord(found ?? null, row.expected)
    const before = JSON.parse(json) as JsonObject
    const { record, problems } = judged(definition, { body, before, prefetched })
    if (problems.length === 0 && lost.length === 0)
      problems.push(...(await circles(transaction, actor, definition, record, before)))
    if (problems.length > 0 || lost.length > 0) {
      outcomes[row.n] = refusalOf(problems, lost)
      return undefined
    }
    const { changed, changes } = differences(definition, before, record)
    const effect = { read: readOf(definition, prefetched) }
    return { row, before: found as HeldRow, changed, after: record, changes, effect }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    outcomes[row.n] = lost.length > 0 ? refusalOf([], lost) : { refusal: error }
    return undefined
  }
}

async function write(run: Run, definition: Definition, accepted: readonly Accepted[]): Promise<void> {
  const { transaction, actor, outcomes } = run
  const writing = accepted.filter(({ changed }) => changed.length > 0)
  for (const { row, before, changed, effect } of accepted) outcomes[row.n] = { updated: { ...before, changed, effect } }
  if (writing.length === 0) return
  const names = [...new Set(writing.flatMap(({ changed }) => changed))]
  const updates = writing.map(
    ({ before, after, changes }): UpdateOfSet => ({
      id: before.id,
      values: Object.fromEntries(names.map((name): [string, Json] => [name, after[name] ?? null])),
      changes,
    }),
  )
  const written = await uniquely(
    run,
    definition,
    writing.map(({ row, before, after }) => ({ row, values: after, id: before.id })),
    () => transaction.run<WrittenRow>(updateRecords(actor, definition, updates, names)),
  )
  const byId = new Map(written.map((row) => [row.id, row]))
  for (const { row, before, changed, effect } of writing) {
    const now = byId.get(before.id)
    if (now) outcomes[row.n] = { updated: { ...now, changed, effect } }
  }
}

/** The ids of the records to update; null where an external reference leads to none. */
async function targetsOf(
  { transaction, actor }: Run,
  definition: Definition,
  rows: readonly WantedRow[],
): Promise<(number | null)[]> {
  const references = rows.map(({ wanted }) => wanted.externalRef)
  const found = references.some((reference) => reference !== undefined)
    ? await idsOfReferences(transaction, actor.companyId, definition, references)
    : []
  return rows.map(({ wanted }, index) => wanted.id ?? found[index] ?? null)
}

/** How many rows there are before one whose record, or what it refers to, is updated by another before it. */
function untilRepeated(definition: Definition, rows: readonly WantedRow[], ids: readonly (number | null)[]): number {
  const own = referencesOf(definition).filter((name) => {
    const field = definition.fields[name]
    return field?.kind === 'reference' && field.to === definition.name
  })
  const targets = new Set<unknown>()
  for (const [index, { wanted }] of rows.entries()) {
    const id = ids[index] ?? null
    if ((id !== null && targets.has(id)) || own.some((name) => targets.has(wanted.body[name]))) return index
    if (id !== null) targets.add(id)
  }
  return rows.length
}

/** What the references of a record lead to now, as far as its rules read it. */
const leadsToNow = (definition: Definition, record: JsonObject | null): { [field: string]: number | null } =>
  Object.fromEntries(
    Object.entries(definition.fields).flatMap(([name, field]) =>
      record && field.kind === 'reference' && field.reads ? [[name, record[name] as number | null]] : [],
    ),
  )

const sentNotNull = (definition: Definition, body: JsonObject) =>
  Object.fromEntries(Object.entries(sentOf(definition, body)).filter(([, value]) => value !== null))
