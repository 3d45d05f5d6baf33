import type { Definition } from '#registry/definition.ts'
import { isObject, type Json } from '#registry/json.ts'
import { treesOf } from '#sql/records/lock-order.ts'
import { prefetchForCreate, prefetchForUpdate, settlingReferences } from '#sql/records/prefetch.ts'
import type { Prefetch } from '#sql/statement.ts'
import { takeValues, type ValueLock } from '#sql/system/locks.ts'
import type { Transaction } from '../store/database.ts'
import type { Actor } from './actor.ts'
import { createRecords } from './create.ts'
import { locksOfValues, valuesOfRecord } from './locks.ts'
import { type PrefetchedRow, readPrefetch } from './look-up.ts'
import { type ChangedRow, updateRecords } from './update.ts'
import {
  type ChangeResult,
  type LateConflict,
  lookUpRow,
  noneLate,
  outcomeOf,
  type SetOperation,
  type SetRow,
  shortSet,
  type WriteResult,
} from './write-set.ts'

/**
 * The work of a write in two halves: its prefetch, known before any statement, and its execution with the prefetched
 * row. So the transaction can send the prefetch with its first statements.
 * Work that refuses has written nothing yet, or has rolled it back: a refusal can be stored and committed.
 */
export type Command<T> = {
  /** Locks of the unique values that it sends, taken before the prefetch. */
  locks?: readonly ValueLock[]
  prefetch: Prefetch | null
  /** The row of a set, if the command can be written together with others. */
  row?: SetRow
  execute(transaction: Transaction, actor: Actor, prefetched: PrefetchedRow): Promise<T>
}

/** Takes the locks of values, prefetches, and then executes. */
export function runCommand<T>(transaction: Transaction, actor: Actor, command: Command<T>): Promise<T> {
  if (command.locks && command.locks.length > 0) transaction.send(takeValues(actor.companyId, command.locks))
  return runLocked(transaction, actor, command)
}

/** Prefetches and executes a command whose locks of values are taken already. */
export const runLocked = async <T>(transaction: Transaction, actor: Actor, command: Command<T>): Promise<T> =>
  command.execute(transaction, actor, await readPrefetch(transaction, command))

/** `late` survives the retries of its transaction. `isFinal`: the commit is the next statement after it. */
export type WriteEnding = { late?: LateConflict | undefined; isFinal?: boolean | undefined }

/** Returns the write of one row: a set of one, whose look-ups are sent with those of its caller. */
const writeOne =
  <Result>(operation: SetOperation<Result>) =>
  (
    companyId: number,
    definition: Definition,
    { late = noneLate(), isFinal = false, id = null, body, expected }: RowOfOne & WriteEnding,
  ): Command<Result> => {
    const row = { id, body, expected }
    const lookUp = lookUpRow(definition, row)
    const locks = locksOfValues(companyId, valuesOfRecord(definition, lookUp.sent))
    const trees = id === null ? [] : treesOf(definition).filter((field) => isObject(body) && field in body)
    const holds = [
      ...(id === null ? [] : [`${definition.name} ${id}`]),
      ...locks.flatMap(({ key, isShared }) => (isShared ? [] : [key])),
      ...trees.map((field) => `${definition.name}.${field}`),
    ]
    // Records that are settled are written too, each by the call that it follows from.
    const isAlone = settlingReferences(definition).length > 0
    return {
      locks,
      prefetch: operation.prefetch(companyId, definition, [lookUp]),
      ...(isAlone ? {} : { row: { operation, definition, row, lookUp, holds } }),
      async execute(transaction, actor, prefetched) {
        const set = shortSet(transaction, actor, late, isFinal)
        return outcomeOf(await operation.write(set, definition, [row], prefetched))
      },
    }
  }

/** A row that is created has no id, and nothing is expected of it. */
type RowOfOne = Pick<ChangedRow, 'body'> & { id?: number | null; expected?: ChangedRow['expected'] }

export const createOne = writeOne<WriteResult>({ prefetch: prefetchForCreate, write: createRecords })
export const updateOne = writeOne<ChangeResult>({ prefetch: prefetchForUpdate, write: updateRecords })

export const createRecord = (transaction: Transaction, actor: Actor, definition: Definition, body: Json) =>
  runCommand(transaction, actor, createOne(actor.companyId, definition, { body }))
