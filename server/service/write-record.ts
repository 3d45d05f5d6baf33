import type { Definition } from '#registry/definition.ts'
import { isObject, type Json } from '#registry/json.ts'
import { treesOf } from '#sql/records/lock-order.ts'
import { prefetchForCreate, prefetchForUpdate } from '#sql/records/prefetch.ts'
import type { Transaction } from '../store/database.ts'
import type { Actor } from './actor.ts'
import { type Command, runCommand } from './command.ts'
import { createRecords } from './create-records.ts'
import type { Expected } from './expected.ts'
import { locksOfValues, valuesSent } from './locks.ts'
import { type ChangedRow, heldRecord, lookUpRows, updateRecords } from './update-records.ts'
import { type Changed, noneLate, outcomeOf, type SetOperation, shortSet, type Written } from './write-set.ts'

export { heldRecord }

const creating: SetOperation<Written> = {
  prefetch: (companyId, definition, rows, waits) =>
    prefetchForCreate(companyId, definition, lookUpRows(definition, rows), waits),
  write: createRecords,
}

const updating: SetOperation<Changed> = {
  prefetch: (companyId, definition, rows, waits) =>
    prefetchForUpdate(companyId, definition, lookUpRows(definition, rows), waits),
  write: updateRecords,
}

/** The write of one row, whose look-ups travel with the look-up of their caller. */
function writeOne<Done>(
  operation: SetOperation<Done>,
  companyId: number,
  definition: Definition,
  { row, late }: { row: ChangedRow; late: ReturnType<typeof noneLate> },
): Command<Done> {
  const { id, body } = row
  const locks = locksOfValues(companyId, valuesSent(definition, body))
  const trees = id === null ? [] : treesOf(definition).filter((field) => isObject(body) && field in body)
  const holds = [
    ...(id === null ? [] : [`${definition.name} ${id}`]),
    ...locks.flatMap(({ key, isShared }) => (isShared ? [] : [key])),
    ...trees.map((field) => `${definition.name}.${field}`),
  ]
  return {
    locks,
    prefetch: operation.prefetch(companyId, definition, [row]),
    row: { operation, definition, row, say: (done) => done as Done, holds },
    async execute(transaction, actor, prefetched) {
      return outcomeOf(await operation.write(shortSet(transaction, actor, late), definition, [row], prefetched))
    },
  }
}

export const creation = (companyId: number, definition: Definition, body: Json, late = noneLate()): Command<Written> =>
  writeOne(creating, companyId, definition, { row: { id: null, body, expected: undefined }, late })

export const change = (
  companyId: number,
  definition: Definition,
  id: number,
  body: Json,
  expected: Expected,
  late = noneLate(),
): Command<Changed> => writeOne(updating, companyId, definition, { row: { id, body, expected }, late })

export const createRecord = (transaction: Transaction, actor: Actor, definition: Definition, body: Json) =>
  runCommand(transaction, actor, creation(actor.companyId, definition, body))
