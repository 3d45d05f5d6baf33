import type { Change, ResourceName, Scope } from './types.gen.ts'

/** The types here are bodies of the service that are the same for every resource. */

/** A word of an answer. The service may add new words. */
type Word<W extends string> = W | (string & {})

/** A change of one record in the feed and in webhooks. Every copy of a change has the same `id`. */
export type ChangeOf<R extends string, E extends string, A extends string, T> = {
  event: E
  id: string
  /** The moment at which its write began. */
  at: string
  records: R
  record_id: number
  /** Orders the changes of one record, without a gap. Null before versions were kept. */
  version: number | null
  action: A
  /** The changed fields of an update, each with its old and its new value. */
  changes: { [F in keyof T]?: [before: T[F], after: T[F]] } | null
  /** The present record, or the last state of a deleted one. Null if it does not exist any more. */
  record: T | null
  by: {
    channel: Word<'api' | 'console' | 'command'>
    account_id: number | null
    token_id: number | null
    request_id: string | null
    /** The key by which a caller recognizes its own writes. */
    idempotency_key: string | null
    preview_id: string | null
  }
  write_id: string | null
  removal_id: number | null
}

/** A change without its values, as a webhook with the payload `thin` sends it. */
export type ThinChange = Change extends infer C ? (C extends Change ? Omit<C, 'changes' | 'record'> : never) : never

export type RecordGroup = { records: Word<ResourceName>; count: number; ids: number[] }
export type KeptGroup = RecordGroup & { effect: Word<'kept' | 'unlinked'> }

export type CreateResult = { id: number; created: boolean; dry_run: boolean }
export type UpdateResult = { id: number; updated: boolean; dry_run: boolean; changed: string[] }
export type UpsertResult = { id: number; created: boolean; updated: boolean; dry_run: boolean; changed: string[] }
export type DeleteResult = {
  id: number
  deleted: boolean
  dry_run: boolean
  mode: Word<'soft' | 'hard'>
  deleted_with?: RecordGroup[]
  kept?: KeptGroup[]
}
export type UndoResult = { write_id: string; undone: boolean; dry_run: boolean; records: number; remaining: number }

/** The effect of a write on one record. */
export type PreviewChange = {
  records: Word<ResourceName>
  /** Null if the record would be created. */
  id: number | null
  action: Word<'created' | 'updated' | 'deleted' | 'erased' | 'restored'>
  /** Each field with its old and its new value. Absent if the token may not see the resource. */
  fields?: { [field: string]: [before: unknown, after: unknown] }
}

/** The effect of a write in the answer of a dry-run. */
export type WritePlan = {
  hash: string
  /** The number of records that would change. `changes` has the first 1,000. */
  total: number
  changes: PreviewChange[]
  would_delete: RecordGroup[]
  would_keep: KeptGroup[]
}

export type FieldProblem<C extends string> = { field: string; code: C; message: string }
export type UndoConflict = { records: Word<ResourceName>; id: number; fields: string[] }
export type RefusedOperation = { n: number; as?: string; status: number; problem: Problem }

/** The body of a refusal (RFC 9457). */
export type Problem = {
  type: string
  title: string
  status: number
  detail: string
  code: string
  request_id: string
  errors?: FieldProblem<string>[]
  required_scope?: Word<Scope>
  feature?: string
  limit?: number
  used?: number
  blocked_by?: RecordGroup[]
  refused?: RefusedOperation[]
  plan?: WritePlan
  conflicts?: UndoConflict[]
}

export type PageMeta = { total: number; limit: number; offset: number }

/** The caller and its present rights. */
export type Me = {
  company: { id: number; name: string; currency: string; plan: string }
  token: { id: number; label: string }
  account_id: number
  /** The scopes that the token carries and its account still holds. */
  scopes: Word<Scope>[]
  add_ons: string[]
  /** The limits of the plan. `limit` is null if there is no limit. */
  limits: { records: Word<ResourceName>; limit: number | null; used: number }[]
  rate: { limit: number; window_seconds: number } | null
}

/** A record without routes, to which a field can refer. */
export type Choice = { id: number; title: string }
