import type { Json } from '#registry/json.ts'
import { type Prefetch, prefetchStatement } from '#sql/statement.ts'
import { takeValues, type ValueLock } from '#sql/system/locks.ts'
import type { Transaction } from '../store/database.ts'
import type { Actor } from './actor.ts'
import type { SetRow } from './write-set.ts'

/**
 * A piece of work on a record, in two halves: what it has to look at, known before anything is asked, and what it does
 * when it has seen that. So a pipeline can send the prefetch with what it asks itself. Work that refuses has written
 * nothing yet, or has undone it: a refusal can be noted and committed.
 */
export type Command<T> = {
  /** Of the unique values that it sends, taken before anything is looked at. */
  locks?: readonly ValueLock[]
  prefetch: Prefetch | null
  /** Where it is one row of a set: what it shares with others that are written together. */
  row?: SetRow<T>
  execute(transaction: Transaction, actor: Actor, prefetched: PrefetchedRow): Promise<T>
}

/** The row that was prefetched. */
export type PrefetchedRow = { readonly [column: string]: Json } | null

/** Takes locks of values, prefetches, and then executes. */
export function runCommand<T>(transaction: Transaction, actor: Actor, command: Command<T>): Promise<T> {
  if (command.locks && command.locks.length > 0) transaction.send(takeValues(actor.companyId, command.locks))
  return runLocked(transaction, actor, command)
}

/** The same where the locks of its values are taken already. */
export async function runLocked<T>(transaction: Transaction, actor: Actor, command: Command<T>): Promise<T> {
  return command.execute(transaction, actor, command.prefetch && (await readPrefetch(transaction, command)))
}

export async function readPrefetch(
  transaction: Transaction,
  { prefetch }: Pick<Command<unknown>, 'prefetch'>,
): Promise<PrefetchedRow> {
  const [row] = prefetch ? await transaction.run<{ seen: PrefetchedRow }>(prefetchStatement(prefetch)) : []
  return row?.seen ?? null
}

/** The same work, with something else made of its result. */
export const resultOf = <T, Made>(
  { execute, row, ...command }: Command<T>,
  make: (done: T) => Made,
): Command<Made> => ({
  ...command,
  ...(row ? { row: { ...row, say: (done: unknown) => make(row.say(done)) } } : {}),
  execute: async (transaction, actor, prefetched) => make(await execute(transaction, actor, prefetched)),
})
