import type { RecordsSummary } from '#registry/refusals.ts'
import type { RecentEntry } from './responses.ts'

/** The results of the console's writes. */

export type RecordCreated = { id: number | null; created: boolean; dry_run: boolean }
export type RecordUpdated = { id: number; updated: boolean; dry_run: boolean; changed: string[] }

/** The result of a deletion, or of its dry-run. */
export type RecordDeleted = { id: number; deleted: boolean; dry_run: boolean; mode: 'soft' | 'hard' } & {
  [part in 'would_delete' | 'would_keep' | 'deleted_with' | 'kept']?: RecordsSummary[]
}

export type RestoreResult = { id: number; restored: true } & Pick<RecentEntry, 'records' | 'record_id'> & {
    came_back: RecordsSummary[]
    linked: RecordsSummary[]
  }

/** The result of an undo, with the count of records that the next call undoes. */
export type WriteUndoResult = {
  write_id: string
  undone: boolean
  dry_run: boolean
  records: number
  remaining: number
}

/** The result of a batch, operation by operation. */
export type BatchSummary = {
  mode: string
  dry_run: boolean
  done: number
  refused: number
  operations: { n: number; status: number; data: { id: number | null; changed?: string[] } }[]
}
