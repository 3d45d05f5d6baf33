import type { Definition } from '#registry/definition.ts'
import type { Json } from '#registry/json.ts'
import { prefetchForCreate, prefetchForUpdate } from '#sql/records/prefetch.ts'
import type { Transaction } from '../store/database.ts'
import type { Actor } from './actor.ts'
import { sentOf } from './check-record.ts'
import { type Command, runCommand } from './command.ts'
import { createRecords } from './create-records.ts'
import type { Expected } from './expected.ts'
import { locksOfValues, valuesSent } from './locks.ts'
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
  prefetch: prefetchForCreate(companyId, definition, [{ sent: sentOf(definition, body) }]),
  async execute(transaction, actor, prefetched) {
    const set = shortSet(transaction, actor, late)
    return outcomeOf(await createRecords(set, definition, [{ body }], prefetched))
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
  prefetch: prefetchForUpdate(companyId, definition, [{ id, sent: sentOf(definition, body) }]),
  async execute(transaction, actor, prefetched) {
    const set = shortSet(transaction, actor, late)
    return outcomeOf(await updateRecords(set, definition, [{ id, body, expected }], prefetched))
  },
})
