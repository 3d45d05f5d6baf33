import { type Look, lookFirst } from '#derive/queries/look.ts'
import type { Json } from '#registry/json.ts'
import type { Transaction } from '../store/database.ts'
import type { Actor } from './actor.ts'

/**
 * A piece of work on a record, in two halves: what it has to look at, known before anything is asked, and what it does
 * when it has seen that. So a door can let the look travel with what it asks itself. Work that refuses has written
 * nothing yet, or has undone it: a refusal can be noted and committed.
 */
export type Work<T> = {
  prefetch: Look | null
  execute(transaction: Transaction, actor: Actor, seen: Seen): Promise<T>
}

/** The row that a look found. */
export type Seen = { readonly [column: string]: Json } | null

/** Looks, and then carries out. */
export async function workOn<T>(transaction: Transaction, actor: Actor, { prefetch, execute }: Work<T>): Promise<T> {
  const [row] = prefetch ? await transaction.run<{ seen: Seen }>(lookFirst(prefetch)) : []
  return execute(transaction, actor, row?.seen ?? null)
}
