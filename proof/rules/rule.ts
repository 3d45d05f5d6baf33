import type { History } from '../history.ts'

/** A promise that a history keeps or breaks. */
export type Rule = {
  name: string
  /** The promise, in one sentence. */
  promise: string
  /** Yields each place at which the history breaks it, in words. */
  find(history: History): Iterable<string>
}
