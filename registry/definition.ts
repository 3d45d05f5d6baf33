import type { DoubtCode, fieldCodes } from './field-codes.ts'
import type { Field } from './fields/index.ts'
import type { FixedFields } from './fixed-while.ts'
import type { JsonObject } from './json.ts'
import type { AddOn } from './subscription.ts'

/** The announcement that an operation will go. docs/compatibility.md */
export type Deprecation = {
  /** The day from which on nobody should begin to use it, `YYYY-MM-DD`. */
  since: string
  /** The day from which on it may be gone. */
  sunset?: string
  /** What to use instead: a sentence or two for the documents. */
  instead: string
}

/** One resource. Routes, SQL, checks, documents and forms are derived from it. */
export type Definition = {
  /** Its name in paths, tables, permissions and JSON: plural, snake_case. */
  name: string
  /** The singular, as a sentence has it: "time entry". */
  one: string
  /** The description in the documents. */
  about: string
  /** The field that names a record to people. */
  title: string
  /** Served at /v1 with this add-on beside the API's own; an ERP-only resource has no route there. `deprecated` by operation. */
  served?: { addOn: AddOn; deprecated?: { readonly [operation: string]: Deprecation } }
  fields: { readonly [name: string]: Field }
  /** True if every record is about one person; a match if only some are. Each text-like field says `personal`. */
  person?: true | Match
  /** The fields that `q` looks in. */
  search: readonly string[]
  /** The fields a list can be narrowed by, by equality. */
  filters: readonly string[]
  /** While a record has one of these statuses, these fields are set; a list among them has an item. */
  needs?: { readonly status: readonly string[]; readonly fields: readonly string[] }
  /** Checks of several fields. Each rule sees the whole record as it would be. */
  rules?: readonly Rule[]
  /** The fields that follow from the others, worked out at every write. */
  computed?: Computed
  protection?: Protection
  /** Values that the interface proposes: of fields that a step needs, by the status it leads to, and those of a `new` form. */
  proposals?: { readonly [status: string]: Proposal }
  /** Problems that a person may accept: the interface asks about them before it writes. No other channel does. */
  doubts?: readonly Rule<DoubtCode>[]
  /** The fields in which equal values may be of one and the same: the interface shows such doubles before it saves. */
  alike?: readonly string[]
  /** The fields of a sheet, in which records are the cells of a week. */
  sheet?: Sheet
  /** Sums over records that refer to this one, by name. They are read when they are needed, and never stored. */
  sums?: { readonly [name: string]: Sum }
  /** The field with the amount that the sums that count as cost should not exceed. */
  budget?: string
  list?: ListWords
  /** Fixes what was issued: a paper is kept of the record when it comes to match. */
  paper?: PaperWords
  /** The fields that a paper shows of such a record, to which it goes. */
  addressee?: readonly string[]
  /** What the interface offers to do with a record, beside its steps. */
  actions?: readonly Action[]
  removal: Removal
}

/**
 * The sum of fields over the live records of `of` whose columns (the keys of `by`) equal ours (its values), without the
 * record itself: `add` less `less`, of those that are in `when` and not in `except`. `counts` is the side of the margin
 * that it stands on.
 */
export type Sum = {
  of: string
  by: { readonly [theirs: string]: string }
  add: readonly string[]
  less?: readonly string[]
  when?: Match
  except?: Match
  counts?: 'in' | 'out'
}

/**
 * The list of the interface: its columns and order (a field, with "-" before it from the highest down), the fields
 * that its last row adds up, the records that are due, and the columns of the file for the bookkeeper.
 */
export type ListWords = {
  columns: readonly string[]
  sort: string
  totals?: readonly string[]
  due?: DueWords
  books?: BooksWords
}

/**
 * Records that match are due by the day in `on`, with the amount in `open`, in minor units. The match narrows most, so
 * that the records are found by its index and a list can show exactly them.
 */
export type DueWords = { when: Match; on: string; open: string }

/** The file for the bookkeeper: the day by which its records belong to a month, and its columns by their titles. */
export type BooksWords = { on: string; columns: BooksColumns }
export type BooksColumns = { readonly [title: string]: BooksColumn }

/**
 * A field, or one of a record referred to, such as `client_id.name`; or amounts that are added up and those that are taken
 * off.
 */
export type BooksColumn = string | { add: readonly string[]; less: readonly string[] }

/**
 * The paper of a record: the states that fix it, the reference to whom it goes, the days and texts that are printed, the
 * states whose label stands across it, and the state that a draft takes when it is sent.
 */
export type PaperWords = {
  when: Match
  to: string
  dates: readonly string[]
  texts?: readonly string[]
  across: Match
  sends?: string
}

/** A definition whose records have papers. */
export type PaperDefinition = Definition & { paper: PaperWords }

export const hasPaper = (definition: Definition): definition is PaperDefinition => definition.paper !== undefined

/**
 * An action on a record in a state: it sets fields. `copy` is the reference by which a copy
 * refers to the record; then one batch writes both.
 */
export type Action = { name: string; from: Match; sets: JsonObject; copy?: string }

/** The fields that say the row, the day and the value of a cell, and the one that cells of a sheet share. */
export type Sheet = { row: string; day: string; shared: string; cell: string }

/** The reason why a field, or the record at that field, is not acceptable. */
export type Problem<Code extends ProblemCode = ProblemCode> = { field: string; code: Code; message: string }

export const problem = <Code extends ProblemCode>(field: string, code: Code, message: string): Problem<Code> => ({
  field,
  code,
  message,
})

/** The field codes of a 422. Never renamed or reused. */
export type ProblemCode = keyof typeof fieldCodes

/** The columns that rules read of the records referred to, by reference field. */
export type ReferencedRecords = { readonly [field: string]: JsonObject | undefined }

/** The sums of a record by their names; undefined where none is read, as in a form. */
export type SumValues = { readonly [name: string]: number | undefined }

/**
 * A write as `computed` sees it: the record before it (null on create), the accepted fields of the body, the records that
 * it refers to and the sums that it names. A form has neither.
 */
export type WriteInput = { before: JsonObject | null; sent: JsonObject; found: ReferencedRecords; sums: SumValues }

/** Returns the fields that follow from others. `sums` are the names of those that it reads; `fixed` says which it keeps. */
export type Computed = ((record: JsonObject, write: WriteInput) => JsonObject) & {
  readonly sums?: readonly string[]
  readonly fixed?: FixedFields
}

/** Returns a rule, a doubt or a calculation that reads these sums of the record. A write reads no other sum. */
export const ofSums = <Judge extends Rule | Computed>(sums: readonly string[], judge: Judge) =>
  Object.assign(judge.bind(null) as Judge, { sums })

/**
 * A record as it would be after a write, as it is before (null on create), the records that it refers to, its sums, and the
 * company's day, `YYYY-MM-DD`.
 */
export type RuleInput = {
  after: JsonObject
  before: JsonObject | null
  found: ReferencedRecords
  sums: SumValues
  today: string
  /** Returns whether the write counts as one that changes the field. */
  isChanged(field: string): boolean
  /** Returns whether what was sent for the field is refused already, so that the record has not got it. */
  isRefused(field: string): boolean
}

/** A pure check of a write. Returns the problem, if there is one. `sums` are the names of those that it reads. */
export type Rule<Code extends ProblemCode = ProblemCode> = ((input: RuleInput) => Problem<Code> | undefined) & {
  readonly sums?: readonly string[]
}

/**
 * Protected history: a record in this state cannot be deleted. Only the columns of the state, along their steps, and
 * the fields that are always open can change.
 */
export type Protection = {
  when: Match
  /** How to correct such a record, as the end of a sentence; by its state where that differs. */
  correct: string | { readonly [state: string]: string }
}

/** A function of the record, and of the record that its reference `reads` leads to. A new form has neither. */
export type Proposal = {
  reads?: string
  of: (record: JsonObject, context: ProposalContext) => JsonObject
}

/** The record that was read, the company's day, and the fields of the company that forms begin with. */
export type ProposalContext = {
  found?: JsonObject | undefined
  today: string
  company: { readonly [field in 'payment_terms_days' | 'valid_days' | 'tax_pct']: number | null }
}

/** A condition: each named column has one of its values. */
export type Match = { readonly [column: string]: readonly (string | boolean)[] }

/** The conditions of a deletion: the relations that refuse it, and the records that go along or stay. */
export type Removal = {
  /** A record in this state is erased; any other is hidden and can be restored. */
  hardWhen?: Match
  /** What to do if the deletion is refused, as the end of a sentence. */
  instead: string
  /** The step that an undo takes with a record that the write created, which then stays; by default it is deleted. */
  undone?: { readonly [field: string]: string }
  relations: readonly Relation[]
}

/** How the records that refer by one field share in the removal. */
export type Relation = {
  records: string
  by: string
  /** The effect on records that refer: those that match refuse it or are deleted; `otherwise` is for the rest. */
  onDelete: { restrict?: Match; cascade?: Match; otherwise: 'restrict' | 'cascade' | 'unlinked' | 'kept' }
  /** A further change of an unlinked record, so that it keeps its own rules: column, value, new value. */
  resets?: { column: string; from: string; to: string }
}

export const isProtected = ({ protection }: Definition, record: { readonly [column: string]: unknown }): boolean =>
  protection !== undefined && isIn(record, protection.when)

export const isIn = (record: { readonly [column: string]: unknown }, match: Match): boolean =>
  Object.entries(match).every(([column, values]) => values.includes(record[column] as string | boolean))
