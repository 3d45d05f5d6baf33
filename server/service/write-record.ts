import { type Checked, checkBody, checkRules } from '#derive/input.ts'
import {
  insertRecord,
  leadsTo,
  lockRecord,
  lockTree,
  lookUp,
  nextNumber,
  updateRecord,
  type WrittenRow,
} from '#derive/queries/write.ts'
import { columnsOf, fieldOfIndex, uniqueFields } from '#derive/tables.ts'
import type { Definition, Found, Problem } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { invalidFields, Refusal } from '#registry/refusals.ts'
import type { Transaction } from '../store/database.ts'
import { violatedIndex } from '../store/faults.ts'
import type { Actor } from './actor.ts'
import { planLimitInForce, takePlanPlace } from './plan.ts'

/** A record as a write leaves it. `json` is its whole text, as PostgreSQL shows it. */
export type Written = WrittenRow

/** Creates a record, whoever asks and through whichever door. Spec, Request and response rules 1. */
export async function createRecord(
  transaction: Transaction,
  actor: Actor,
  definition: Definition,
  body: Json,
): Promise<Written> {
  const after = await checked(transaction, actor, definition, checkBody(definition, body, null), null)
  await giveNumber(transaction, actor, definition, after)
  const [written, limit] = await Promise.all([
    uniquely(definition, transaction.run<Written>(insertRecord(actor, definition, after))),
    planLimitInForce(transaction, actor.companyId, definition),
  ])
  if (limit !== null) await takePlanPlace(transaction, actor.companyId, definition, limit)
  return written
}

/** The versions of a record that a caller is ready to change; undefined is any. */
export type Expected = { versions: readonly number[] } | undefined

/** Changes the fields sent and no other. Spec, Request and response rules 2. */
export async function changeRecord(
  transaction: Transaction,
  actor: Actor,
  definition: Definition,
  id: number,
  body: Json,
  expected: Expected,
): Promise<Written & { changed: string[] }> {
  const { version, json } = await holdRecord(transaction, actor, definition, id, 'update', expected)
  const before = JSON.parse(json) as JsonObject
  const after = await checked(transaction, actor, definition, checkBody(definition, body, before), before)
  const changed = columnsOf(definition)
    .map(([name]) => name)
    .filter((name) => !same(after[name], before[name]))
  if (changed.length === 0) return { id, version, json, changed }

  const values = Object.fromEntries(changed.map((name): [string, Json] => [name, after[name] ?? null]))
  const changes = Object.fromEntries(
    changed.map((name): [string, Json] => [name, [before[name] ?? null, after[name] ?? null]]),
  )
  const update = updateRecord(actor, definition, id, values, changes)
  return { ...(await uniquely(definition, transaction.run<Written>(update))), changed }
}

/** The live record, locked; refused where there is none or it is not the one expected. */
export async function holdRecord(
  transaction: Transaction,
  { companyId }: Actor,
  definition: Definition,
  id: number,
  why: 'update' | 'delete',
  expected: Expected,
): Promise<{ version: number; json: string }> {
  const [row] = await transaction.run<{ version: number; json: string }>(lockRecord(companyId, definition, id, why))
  if (!row) throw new Refusal('not_found')
  if (expected && !expected.versions.includes(row.version)) throw new Refusal('precondition_failed')
  return row
}

/** The record as it would be, with everything that is wrong with it said at once. */
async function checked(
  transaction: Transaction,
  actor: Actor,
  definition: Definition,
  { sent, after, problems }: Checked,
  before: JsonObject | null,
): Promise<JsonObject> {
  const { found, missing } = await lookUpWhatIsNeeded(transaction, actor, definition, sent, after, before)
  const whole = { ...after, ...definition.computed?.(after) }
  const known = [...problems, ...missing]
  const all = [...known, ...checkRules(definition, whole, before, found, known)]
  if (all.length === 0) all.push(...(await circles(transaction, actor, definition, whole, before)))
  if (all.length > 0) throw invalidFields(all)
  return whole
}

async function lookUpWhatIsNeeded(
  transaction: Transaction,
  { companyId }: Actor,
  definition: Definition,
  sent: JsonObject,
  after: JsonObject,
  before: JsonObject | null,
): Promise<{ found: Found; missing: Problem[] }> {
  const isNew = (name: string): boolean => name in sent && sent[name] !== null && !same(sent[name], before?.[name])
  const references: Record<string, number> = {}
  for (const [name, field] of Object.entries(definition.fields)) {
    if (field.kind !== 'reference' || after[name] === null) continue
    if (isNew(name) || field.reads) references[name] = after[name] as number
  }
  const uniques = Object.fromEntries(
    uniqueFields(definition)
      .filter(isNew)
      .map((name) => [name, sent[name] as string]),
  )
  if (Object.keys(references).length + Object.keys(uniques).length === 0) return { found: {}, missing: [] }

  const self = (before?.id as number | undefined) ?? null
  const [row] = await transaction.run<Record<string, JsonObject | boolean | null>>(
    lookUp(companyId, definition, { references, uniques, self }),
  )
  const found = Object.fromEntries(
    Object.keys(references).map((name) => [name, (row?.[name] ?? undefined) as JsonObject | undefined]),
  )
  const lost = Object.keys(references).filter((name) => isNew(name) && !found[name])
  const taken = Object.keys(uniques).filter((name) => row?.[`${name}__taken`])
  return { found, missing: [...lost.map((name) => notFound(definition, name)), ...taken.map(notUnique)] }
}

/** What the references of a record as it stands lead to, as far as its rules read it. */
export async function lookUpFound(
  transaction: Transaction,
  companyId: number,
  definition: Definition,
  record: JsonObject,
): Promise<Found> {
  const references = Object.fromEntries(
    Object.entries(definition.fields)
      .filter(([name, field]) => field.kind === 'reference' && field.reads && record[name] !== null)
      .map(([name]) => [name, record[name] as number]),
  )
  if (Object.keys(references).length === 0) return {}
  const [row] = await transaction.run<Record<string, JsonObject | null>>(
    lookUp(companyId, definition, { references, uniques: {}, self: record.id as number }),
  )
  return Object.fromEntries(Object.keys(references).map((name) => [name, row?.[name] ?? undefined]))
}

/** The same words for a record that is missing, deleted, of another company or of the wrong sort: no oracle. */
function notFound(definition: Definition, name: string): Problem {
  const field = definition.fields[name]
  const to = field?.kind === 'reference' ? field.to : name
  return {
    field: name,
    code: 'not_found',
    message: `must be the id of one of the company’s live ${to.replaceAll('_', ' ')}`,
  }
}

const notUnique = (field: string): Problem => ({
  field,
  code: 'not_unique',
  message: 'is taken by another record (capitals do not count)',
})

/** A write that met a unique index: somebody else took the value between our look and our write. */
async function uniquely<Row>(definition: Definition, rows: Promise<Row[]>): Promise<Row> {
  try {
    const [row] = await rows
    if (!row) throw new Error(`a write to ${definition.name} returned no row`)
    return row
  } catch (error) {
    const field = fieldOfIndex(definition, violatedIndex(error) ?? '')
    throw field ? invalidFields([notUnique(field)]) : error
  }
}

/** A tree stays a tree, even when two callers re-hang it at once. */
async function circles(
  transaction: Transaction,
  { companyId }: Actor,
  definition: Definition,
  after: JsonObject,
  before: JsonObject | null,
): Promise<Problem[]> {
  if (before === null) return []
  const problems: Problem[] = []
  for (const [name, field] of Object.entries(definition.fields)) {
    const to = after[name]
    if (field.kind !== 'reference' || !field.tree || typeof to !== 'number' || to === before[name]) continue
    await transaction.run(lockTree(companyId, definition.name, name))
    const [row] = await transaction.run<{ leads: boolean }>(
      leadsTo(companyId, definition.name, name, to, before.id as number),
    )
    if (row?.leads)
      problems.push({ field: name, code: 'cycle', message: 'would close a circle that leads back to this record' })
  }
  return problems
}

/** The next free running number, where the record has none; numbers that somebody gave by hand are passed over. */
async function giveNumber(transaction: Transaction, { companyId }: Actor, definition: Definition, record: JsonObject) {
  for (const [name, field] of Object.entries(definition.fields)) {
    if (field.kind !== 'text' || field.numbered === undefined) continue
    while (record[name] === null) {
      const [row] = await transaction.run<{ last: number }>(nextNumber(companyId, definition.name))
      const number = field.numbered + String(row?.last).padStart(6, '0')
      const [taken] = await transaction.run<Record<string, boolean>>(
        lookUp(companyId, definition, { references: {}, uniques: { [name]: number }, self: null }),
      )
      if (!taken?.[`${name}__taken`]) record[name] = number
    }
  }
}

const same = (one: Json | undefined, other: Json | undefined): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
