import type { Definition } from '#registry/definition.ts'
import { isObject, type Json } from '#registry/json.ts'
import { treesOf } from '#sql/records/lock-order.ts'
import { prefetchForCreate, prefetchForUpdate } from '#sql/records/prefetch.ts'
import type { Transaction } from '../store/database.ts'
import type { Actor } from './actor.ts'
import { type Command, runCommand } from './command.ts'
import { createRecords } from './create.ts'
import { locksOfValues, valuesOfRecord } from './locks.ts'
import { type ChangedRow, updateRecords } from './update.ts'
import {
  type ChangeResult,
  type LateConflict,
  lookUpRow,
  noneLate,
  outcomeOf,
  type SetOperation,
  shortSet,
  type WriteResult,
} from './write-set.ts'

const creating: SetOperation<WriteResult> = { prefetch: prefetchForCreate, write: createRecords }
const updating: SetOperation<ChangeResult> = { prefetch: prefetchForUpdate, write: updateRecords }

/** `late` survives the retries of its transaction. `isFinal`: the commit is the next statement after it. */
export type WriteEnding = { late?: LateConflict | undefined; isFinal?: boolean | undefined }

/** Returns the write of one row, whose look-ups are sent with those of its caller. */
function writeOne<Done>(
  operation: SetOperation<Done>,
  companyId: number,
  definition: Definition,
  { late = noneLate(), isFinal = false, id, body, expected }: ChangedRow & WriteEnding,
): Command<Done> {
  const row = { id, body, expected }
  const lookUp = lookUpRow(definition, row)
  const locks = locksOfValues(companyId, valuesOfRecord(definition, lookUp.sent))
  const trees = id === null ? [] : treesOf(definition).filter((field) => isObject(body) && field in body)
  const holds = [
    ...(id === null ? [] : [`${definition.name} ${id}`]),
    ...locks.flatMap(({ key, isShared }) => (isShared ? [] : [key])),
    ...trees.map((field) => `${definition.name}.${field}`),
  ]
  return {
    locks,
    prefetch: operation.prefetch(companyId, definition, [lookUp]),
    row: { operation, definition, row, lookUp, say: (done) => done as Done, holds },
    async execute(transaction, actor, prefetched) {
      return outcomeOf(
        await operation.write(shortSet(transaction, actor, late, isFinal), definition, [row], prefetched),
      )
    },
  }
}

export const createOne = (
  companyId: number,
  definition: Definition,
  row: Pick<ChangedRow, 'body'> & WriteEnding,
): Command<WriteResult> => writeOne(creating, companyId, definition, { id: null, expected: undefined, ...row })

export const updateOne = (
  companyId: number,
  definition: Definition,
  row: ChangedRow & WriteEnding,
): Command<ChangeResult> => writeOne(updating, companyId, definition, row)

export const createRecord = (transaction: Transaction, actor: Actor, definition: Definition, body: Json) =>
  runCommand(transaction, actor, createOne(actor.companyId, definition, { body }))
