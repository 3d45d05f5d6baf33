import type { AddOn } from './add-ons.ts'
import type { fieldCodes } from './field-codes.ts'
import type { Field } from './fields/index.ts'
import type { JsonObject } from './json.ts'

/** An operation that is on its way out, and how its callers are told. docs/compatibility.md */
export type Deprecation = {
  /** The day from which on nobody should begin to use it, `YYYY-MM-DD`. */
  since: string
  /** The day from which on it may be gone. */
  sunset?: string
  /** What to use instead: a sentence or two for the documents. */
  instead: string
}

/** One resource: everything that is true of it. All else is derived from this. */
export type Definition = {
  /** Its name in paths, tables, permissions and JSON: plural, snake_case. */
  name: string
  /** One of them, in a sentence: "time entry". */
  one: string
  /** What it is, for the documents. */
  about: string
  /** The field that names a record to people. */
  title: string
  /** Served at /v1 with this add-on beside the API's own; an ERP-only resource has no route there. `deprecated` by operation. */
  served?: { addOn: AddOn; deprecated?: { readonly [operation: string]: Deprecation } }
  fields: { readonly [name: string]: Field }
  /** Records that are about one person each: all of them, or those that match. Each text-like field says `personal`. */
  person?: true | Match
  /** The fields that `q` looks in. */
  search: readonly string[]
  /** The fields a list can be narrowed by, by equality. */
  filters: readonly string[]
  /** While a record has one of these statuses it has these fields; a list among them has an item. */
  needs?: { readonly status: readonly string[]; readonly fields: readonly string[] }
  /** What no single field can say; every rule sees the whole record as it would be. */
  rules?: readonly Rule[]
  /** Read-only fields worked out from the others at every write. */
  computed?: (record: JsonObject) => JsonObject
  protection?: Protection
  /** What a step needs and anyone who takes it in the interface is asked for: proposed there, by the status it leads to. */
  proposals?: { readonly [status: string]: Proposal }
  /** What somebody is to know before a step, and is asked about in the interface. Nothing is refused for it. */
  doubts?: readonly Doubt[]
  removal: Removal
}

/** Why a field, or the record at that field, is not acceptable. */
export type Problem = { field: string; code: ProblemCode; message: string }

export const problem = (field: string, code: ProblemCode, message: string): Problem => ({ field, code, message })

/** The field codes of a 422. Never renamed or reused. */
export type ProblemCode = keyof typeof fieldCodes

/** What the references of a record lead to: per reference field, the columns that its rules read. */
export type Found = { readonly [field: string]: JsonObject | undefined }

/**
 * A pure check of the record `after` a write; `before` is null when it is being created. Returns what is wrong.
 */
export type Rule = (after: JsonObject, before: JsonObject | null, found: Found) => Problem | undefined

/**
 * Protected history: a record in this state is not deleted, and nothing of it changes but the columns of the state itself,
 * along their steps, and what is always open.
 */
export type Protection = {
  when: Match
  /** How a mistake in such a record is put right, as the end of a sentence. */
  correct: string
}

/** From the record, what its reference `reads` leads to, and the day. */
export type Proposal = {
  reads: string
  of: (record: JsonObject, found: JsonObject | undefined, today: string) => JsonObject
}

export type Doubt = { to: string; code: string; isSo: (record: JsonObject, today: string) => boolean }

/** Records whose columns have one of the values named. */
export type Match = { readonly [column: string]: readonly (string | boolean)[] }

/** Deletion that protects history: what stops it, what goes along and what stays. */
export type Removal = {
  /** A record in this state is erased; any other is kept out of sight and can be restored. */
  hardWhen?: Match
  /** What to do where deletion is refused, as the end of a sentence. */
  instead: string
  relations: readonly Relation[]
}

/** How the records that refer by one field share in the removal. */
export type Relation = {
  records: string
  by: string
  /** What becomes of them: those that match stop the removal, or go along; `otherwise` is for the rest. */
  onDelete: { restrict?: Match; cascade?: Match; otherwise: 'restrict' | 'cascade' | 'unlinked' | 'kept' }
  /** What else changes on a record that is unlinked, so that it keeps its own rules: column, value, new value. */
  resets?: { column: string; from: string; to: string }
}

export const isProtected = ({ protection }: Definition, record: { readonly [column: string]: unknown }): boolean =>
  protection !== undefined && isIn(record, protection.when)

export const isIn = (record: { readonly [column: string]: unknown }, match: Match): boolean =>
  Object.entries(match).every(([column, values]) => values.includes(record[column] as string | boolean))
