import { acceptable, type Checked, checkRecord, type LedTo } from '#derive/input.ts'
import type { Definition, Found, Problem } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { once } from '#registry/once.ts'
import { isPlanLimited, type Plan, planLimit } from '#registry/plans.ts'
import { invalidFields, Refusal } from '#registry/refusals.ts'
import { columnsOf, fieldOfIndex, uniqueFields } from '#sql/records/columns.ts'
import { lookUp, prefetchForCreate, prefetchForUpdate, type Sent, takenColumn } from '#sql/records/prefetch.ts'
import { insertRecord, leadsTo, lockTree, nextNumber, updateRecord, type WrittenRow } from '#sql/records/write.ts'
import type { Transaction } from '../store/database.ts'
import { violatedIndex } from '../store/faults.ts'
import type { Actor } from './actor.ts'
import { type Command, type Prefetched, runCommand } from './command.ts'
import { type Expected, expectVersion } from './expected.ts'
import { quotaExceeded } from './plan.ts'
import type { Effect, ReadRecord } from './write-plan.ts'

/** A record as a write leaves it. `json` is its whole text, as PostgreSQL shows it. */
export type Written = WrittenRow & { effect: Effect }
export type Changed = Written & { changed: string[] }

/** Creates a record, whoever asks and through whichever channel. Spec, Request and response rules 1. */
export const createRecord = (transaction: Transaction, actor: Actor, definition: Definition, body: Json) =>
  runCommand(transaction, actor, creation(actor.companyId, definition, body))

export const creation = (companyId: number, definition: Definition, body: Json): Command<Written> => ({
  prefetch: prefetchForCreate(companyId, definition, sentOf(definition, body)),
  async execute(transaction, actor, prefetched) {
    const after = await checked(transaction, actor, definition, { body, before: null, prefetched })
    const fields = await giveNumber(transaction, actor, definition, after)
    const limit = isPlanLimited(definition.name) ? planLimit(prefetched?.plan as Plan, definition.name) : null
    const insert = insertRecord(actor, definition, after, limit)
    const [written] = await uniquely(transaction, definition, transaction.run<WrittenRow>(insert))
    if (!written) throw await quotaExceeded(transaction, companyId, definition, limit as number)
    const numbered = { records: definition.name, id: written.id, fields }
    return { ...written, effect: { read: readOf(definition, prefetched), numbered } }
  },
})

/** Changes the fields sent and no other. Spec, Request and response rules 2. */
export const changeRecord = (
  transaction: Transaction,
  actor: Actor,
  definition: Definition,
  id: number,
  body: Json,
  expected: Expected,
) => runCommand(transaction, actor, change(actor.companyId, definition, id, body, expected))

export const change = (
  companyId: number,
  definition: Definition,
  id: number,
  body: Json,
  expected: Expected,
): Command<Changed> => ({
  prefetch: prefetchForUpdate(companyId, definition, id, sentOf(definition, body)),
  async execute(transaction, actor, prefetched) {
    const { version, json } = heldRecord(prefetched, expected)
    const before = JSON.parse(json) as JsonObject
    const after = await checked(transaction, actor, definition, { body, before, prefetched })
    const { changed, values, changes } = differences(definition, before, after)
    const effect = { read: readOf(definition, prefetched) }
    if (changed.length === 0) return { id, version, json, changed, effect }
    const update = updateRecord(actor, definition, id, values, changes)
    const [written] = await uniquely(transaction, definition, transaction.run<WrittenRow>(update))
    return { ...(written as WrittenRow), changed, effect }
  },
})

/** The fields that differ, what they become, and what the log says of each. */
export function differences(definition: Definition, before: JsonObject, after: JsonObject) {
  const changed = columnsOf(definition)
    .map(([name]) => name)
    .filter((name) => !same(after[name], before[name]))
  const values = Object.fromEntries(changed.map((name): [string, Json] => [name, after[name] ?? null]))
  const changes = Object.fromEntries(
    changed.map((name): [string, Json] => [name, [before[name] ?? null, after[name] ?? null]]),
  )
  return { changed, values, changes }
}

/** The live record that was looked at; refused where there is none or it is not the one expected. */
export function heldRecord(prefetched: Prefetched, expected: Expected): { version: number; json: string } {
  if (!prefetched) throw new Refusal('not_found')
  const { version, json } = prefetched as { version: number; json: string }
  expectVersion(version, expected)
  return { version, json }
}

/** The record as it would be, with everything that is wrong with it said at once. */
async function checked(
  transaction: Transaction,
  actor: Actor,
  definition: Definition,
  sent: { body: Json; before: JsonObject | null; prefetched: Prefetched },
): Promise<JsonObject> {
  const { record, problems } = judged(definition, sent)
  const { before } = sent
  if (problems.length === 0) problems.push(...(await circles(transaction, actor, definition, record, before)))
  if (problems.length > 0) throw invalidFields(problems)
  return record
}

/** The record as it would be, and what is wrong with it but for the circles of a tree. */
export const judged = (
  definition: Definition,
  { body, before, prefetched }: { body: Json; before: JsonObject | null; prefetched: Prefetched },
) => checkRecord(definition, body, before, (checked) => whatItLeadsTo(definition, checked, before, prefetched))

/** What a body says of the fields that have to be looked up; what is not acceptable there is not looked up. */
export const sentOf = (definition: Definition, body: Json): Sent => {
  const names = [...referencesOf(definition), ...uniqueFields(definition)]
  return Object.fromEntries(names.map((name) => [name, acceptable(definition, body, name) as string | number | null]))
}

export const referencesOf = once(({ fields }: Definition): readonly string[] =>
  Object.keys(fields).filter((name) => fields[name]?.kind === 'reference'),
)

/** What the rules of a record have read of others. */
export const readOf = ({ fields }: Definition, prefetched: Prefetched): ReadRecord[] =>
  Object.entries(fields).flatMap(([field, type]) =>
    type.kind === 'reference'
      ? [{ field, records: type.to, record: (prefetched?.[field] ?? null) as JsonObject | null }]
      : [],
  )

/** What the references lead to, and what is wrong with those, and with unique values, that were not there before. */
function whatItLeadsTo(
  definition: Definition,
  { sent, after }: Checked,
  before: JsonObject | null,
  prefetched: Prefetched,
): LedTo {
  const isNew = (name: string): boolean => name in sent && sent[name] !== null && !same(sent[name], before?.[name])
  const found = foundOf(definition, after, prefetched)
  const lost = referencesOf(definition).filter((name) => isNew(name) && !found[name])
  const taken = uniqueFields(definition).filter((name) => isNew(name) && prefetched?.[takenColumn(name)])
  return { found, missing: [...lost.map((name) => notFound(definition, name)), ...taken.map(notUnique)] }
}

const foundOf = (definition: Definition, record: JsonObject, prefetched: Prefetched): Found =>
  Object.fromEntries(
    referencesOf(definition)
      .filter((name) => record[name] !== null)
      .map((name) => [name, (prefetched?.[name] ?? undefined) as JsonObject | undefined]),
  )

/** What the references of a record as it stands lead to, as far as its rules read it. */
export async function lookUpFound(
  transaction: Transaction,
  companyId: number,
  definition: Definition,
  record: JsonObject,
): Promise<Found> {
  const read = Object.entries(definition.fields).filter(([, field]) => field.kind === 'reference' && field.reads)
  const references = Object.fromEntries(read.map(([name]) => [name, record[name] as number | null]))
  if (Object.values(references).every((id) => id === null)) return {}
  const [row] = await transaction.run<JsonObject>(lookUp(companyId, definition, references))
  return foundOf(definition, references, row ?? null)
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

export const notUnique = (field: string): Problem => ({
  field,
  code: 'not_unique',
  message: 'is taken by another record (capitals do not count)',
})

/**
 * A write that may meet a unique index: somebody else took the value between our read and our write. PostgreSQL has
 * given the transaction up by then, so it is undone.
 */
async function uniquely<Row>(transaction: Transaction, definition: Definition, rows: Promise<Row[]>): Promise<Row[]> {
  try {
    return await rows
  } catch (error) {
    const field = fieldOfIndex(definition, violatedIndex(error) ?? '')
    if (field === undefined) throw error
    transaction.undo()
    throw invalidFields([notUnique(field)])
  }
}

/** A tree stays a tree, even when two callers re-hang it at once. */
export async function circles(
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

/** The next free running number, where the record has none; numbers that somebody gave by hand are passed over. The fields that got one. */
async function giveNumber(
  transaction: Transaction,
  { companyId }: Actor,
  definition: Definition,
  record: JsonObject,
): Promise<string[]> {
  const given: string[] = []
  for (const [name, field] of Object.entries(definition.fields)) {
    if (field.kind !== 'text' || field.numbered === undefined || record[name] !== null) continue
    given.push(name)
    while (record[name] === null) {
      const [row] = await transaction.run<{ last: number }>(nextNumber(companyId, definition.name))
      const number = field.numbered + String(row?.last).padStart(6, '0')
      const [taken] = await transaction.run<JsonObject>(lookUp(companyId, definition, { [name]: number }))
      if (!taken?.[takenColumn(name)]) record[name] = number
    }
  }
  return given
}

export const same = (one: Json = null, other: Json = null): boolean =>
  one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
