import type { Json } from '#registry/json.ts'
import { type Prefetch, prefetchStatement } from '#sql/statement.ts'
import { takeValues, type ValueLock } from '#sql/system/locks.ts'
import type { Transaction } from '../store/database.ts'
import type { Actor } from './actor.ts'
import type { SetRow } from './write-set.ts'

/**
 * The work on a record in two halves: its prefetch, known before any statement, and its execution with the prefetched
 * row. So a pipeline can send the prefetch with its own statements.
 * Work that refuses has written nothing yet, or has rolled it back: a refusal can be stored and committed.
 */
export type Command<T> = {
  /** Locks of the unique values that it sends, taken before the prefetch. */
  locks?: readonly ValueLock[]
  prefetch: Prefetch | null
  /** The row of a set, if the command can be written together with others. */
  row?: SetRow<T>
  execute(transaction: Transaction, actor: Actor, prefetched: PrefetchedRow): Promise<T>
}

/** The row that was prefetched; null if there is none. */
export type PrefetchedRow = { readonly [column: string]: Json } | null

/** Takes the locks of values, prefetches, and then executes. */
export function runCommand<T>(transaction: Transaction, actor: Actor, command: Command<T>): Promise<T> {
  if (command.locks && command.locks.length > 0) transaction.send(takeValues(actor.companyId, command.locks))
  return runLocked(transaction, actor, command)
}

/** Prefetches and executes a command whose locks of values are taken already. */
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

/** Returns the same command with its result converted. */
export const resultOf = <T, Converted>(
  { execute, row, ...command }: Command<T>,
  convert: (done: T) => Converted,
): Command<Converted> => ({
  ...command,
  ...(row ? { row: { ...row, say: (done: unknown) => convert(row.say(done)) } } : {}),
  execute: async (transaction, actor, prefetched) => convert(await execute(transaction, actor, prefetched)),
})
