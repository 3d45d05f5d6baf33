import type { Listed } from '#registry/refusals.ts'
import type { RecentEntry } from './answers.ts'

/** What a write of the console has done. */

export type RecordCreated = { id: number | null; created: boolean; dry_run: boolean }
export type RecordUpdated = { id: number; updated: boolean; dry_run: boolean; changed: string[] }

/** What a deletion has done; a dry-run says what it would do. */
export type RecordDeleted = { id: number; deleted: boolean; dry_run: boolean; mode: 'soft' | 'hard' } & {
  [part in 'would_delete' | 'would_keep' | 'deleted_with' | 'kept']?: Listed[]
}

export type Restored = { id: number; restored: true } & Pick<RecentEntry, 'records' | 'record_id'> & {
    came_back: Listed[]
    linked: Listed[]
  }

/** What was taken back of a write, and how many records the next call takes back. */
export type WriteUndone = { write_id: string; undone: boolean; dry_run: boolean; records: number; remaining: number }

/** What became of the operations of a batch. */
export type BatchDone = {
  mode: string
  dry_run: boolean
  done: number
  refused: number
  operations: { n: number; status: number; data: { id: number | null; changed?: string[] } }[]
}
