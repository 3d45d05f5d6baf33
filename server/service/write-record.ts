import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { prefetchForCreate, prefetchForUpdate, readingReferences, wasColumn } from '#sql/records/prefetch.ts'
import type { HeldRow } from '#sql/records/sets.ts'
import { conflict } from '#sql/statement.ts'
import type { Transaction } from '../store/database.ts'
import type { Actor } from './actor.ts'
import { sentOf } from './check-record.ts'
import { type Command, type Prefetched, runCommand } from './command.ts'
import { createRecords } from './create-records.ts'
import type { Expected } from './expected.ts'
import { locksOfValues, valuesSent } from './locks.ts'
import { foundOf } from './look-up.ts'
import { heldRecord, updateRecords } from './update-records.ts'

import { type Changed, noneLate, outcomeOf, shortSet, type Written } from './write-set.ts'

export { heldRecord }

/** Sets of one row, whose look-ups travel with the look-up of their caller. */

export const createRecord = (transaction: Transaction, actor: Actor, definition: Definition, body: Json) =>
  runCommand(transaction, actor, creation(actor.companyId, definition, body))

export const creation = (
  companyId: number,
  definition: Definition,
  body: Json,
  late = noneLate(),
): Command<Written> => ({
  locks: locksOfValues(companyId, valuesSent(definition, body)),
  prefetch: prefetchForCreate(companyId, definition, sentOf(definition, body)),
  async execute(transaction, actor, prefetched) {
    const set = shortSet(transaction, actor, late)
    return outcomeOf(await createRecords(set, definition, [{ body }], foundOf(prefetched)))
  },
})

export const change = (
  companyId: number,
  definition: Definition,
  id: number,
  body: Json,
  expected: Expected,
  late = noneLate(),
): Command<Changed> => ({
  locks: locksOfValues(companyId, valuesSent(definition, body)),
  prefetch: prefetchForUpdate(companyId, definition, id, sentOf(definition, body)),
  async execute(transaction, actor, prefetched) {
    const held = { id, ...heldRecord(prefetched, expected) }
    refuseStale(definition, body, held, prefetched)
    const set = shortSet(transaction, actor, late)
    const found = { ...foundOf(prefetched), held: () => held }
    return outcomeOf(await updateRecords(set, definition, [{ id, body, expected }], found))
  },
})

/** What the rules read was locked before the record: by then it may lead elsewhere, and the transaction starts anew. */
function refuseStale(definition: Definition, body: Json, { json }: HeldRow, prefetched: Prefetched): void {
  const reading = readingReferences(definition)
  if (reading.length === 0) return
  const [sent, before] = [sentOf(definition, body), JSON.parse(json) as JsonObject]
  for (const name of reading)
    if ((sent[name] ?? null) === null && (prefetched?.[wasColumn(name)] ?? null) !== (before[name] ?? null))
      throw conflict()
}
