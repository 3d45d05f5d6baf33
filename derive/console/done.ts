import type { Listed } from '#registry/refusals.ts'
import type { RecentEntry } from './answers.ts'

/** The results of the console's writes. */

export type RecordCreated = { id: number | null; created: boolean; dry_run: boolean }
export type RecordUpdated = { id: number; updated: boolean; dry_run: boolean; changed: string[] }

/** The result of a deletion, or of its dry-run. */
export type RecordDeleted = { id: number; deleted: boolean; dry_run: boolean; mode: 'soft' | 'hard' } & {
  [part in 'would_delete' | 'would_keep' | 'deleted_with' | 'kept']?: Listed[]
}

export type Restored = { id: number; restored: true } & Pick<RecentEntry, 'records' | 'record_id'> & {
    came_back: Listed[]
    linked: Listed[]
  }

/** The result of an undo, with the count of records that the next call undoes. */
export type WriteUndone = { write_id: string; undone: boolean; dry_run: boolean; records: number; remaining: number }

/** The result of a batch, operation by operation. */
export type BatchDone = {
  mode: string
  dry_run: boolean
  done: number
  refused: number
  operations: { n: number; status: number; data: { id: number | null; changed?: string[] } }[]
}
