import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { isPlanLimited, type Plan, planLimit } from '#registry/plans.ts'
import { invalidFields, Refusal } from '#registry/refusals.ts'
import { columnsOf, fieldOfIndex } from '#sql/records/columns.ts'
import {
  lookUp,
  prefetchForCreate,
  prefetchForUpdate,
  readingReferences,
  type Sent,
  takenColumn,
  wasColumn,
} from '#sql/records/prefetch.ts'
import { insertRecord, nextNumber, updateRecord, type WrittenRow } from '#sql/records/write.ts'
import { conflict } from '#sql/statement.ts'
import type { Transaction } from '../store/database.ts'
import { violatedIndex } from '../store/faults.ts'
import type { Actor } from './actor.ts'
import { checked, notUnique, readOf, same, sentOf } from './check-record.ts'
import { type Command, type Prefetched, runCommand } from './command.ts'
import { type Expected, expectVersion } from './expected.ts'
import { locksOfValues, valuesSent } from './locks.ts'
import { quotaExceeded } from './plan.ts'
import type { Effect } from './write-plan.ts'

/** A record as a write leaves it. `json` is its whole text, as PostgreSQL shows it. */
export type Written = WrittenRow & { effect: Effect }
export type Changed = Written & { changed: string[] }

/** Creates a record, whoever asks and through whichever channel. Spec, Request and response rules 1. */
export const createRecord = (transaction: Transaction, actor: Actor, definition: Definition, body: Json) =>
  runCommand(transaction, actor, creation(actor.companyId, definition, body))

export const creation = (companyId: number, definition: Definition, body: Json): Command<Written> => ({
  locks: locksOfValues(companyId, valuesSent(definition, body)),
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
export const change = (
  companyId: number,
  definition: Definition,
  id: number,
  body: Json,
  expected: Expected,
): Command<Changed> => ({
  locks: locksOfValues(companyId, valuesSent(definition, body)),
  prefetch: prefetchForUpdate(companyId, definition, id, sentOf(definition, body)),
  async execute(transaction, actor, prefetched) {
    const { version, json } = heldRecord(prefetched, expected)
    const before = JSON.parse(json) as JsonObject
    refuseStale(definition, sentOf(definition, body), before, prefetched)
    const after = await checked(transaction, actor, definition, { body, before, prefetched })
    const { changed, values, changes } = differences(definition, before, after)
    const effect = { read: readOf(definition, prefetched) }
    if (changed.length === 0) return { id, version, json, changed, effect }
    const update = updateRecord(actor, definition, id, values, changes)
    const [written] = await uniquely(transaction, definition, transaction.run<WrittenRow>(update))
    return { ...(written as WrittenRow), changed, effect }
  },
})

/** What the rules read was locked before the record: by then it may lead elsewhere, and the transaction starts anew. */
function refuseStale(definition: Definition, sent: Sent, before: JsonObject, prefetched: Prefetched): void {
  for (const name of readingReferences(definition))
    if ((sent[name] ?? null) === null && (prefetched?.[wasColumn(name)] ?? null) !== (before[name] ?? null))
      throw conflict()
}

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
