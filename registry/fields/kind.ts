import type { ProblemCode } from '../definition.ts'
import { invisibleIn } from '../invisible.ts'
import type { Json, JsonSchema } from '../json.ts'
import type { ChoiceField } from './choice.ts'
import type { Field } from './index.ts'
import type { ReferenceField } from './reference.ts'

/**
 * The functions that each kind of field implements. Derived code (SQL, checks, documents, the service) calls these and
 * names no kind; `derive/form` and the pages show each kind in its own way.
 */
export type Kind<F> = {
  /**
   * Returns the JSON Schema of accepted values, without null. A pattern uses only what RE2 has: no lookaround, no back
   * reference, NUL as `\\x00`.
   */
  schema(field: F): JsonSchema
  /** Returns further keywords for a value that is sent, which the service checks elsewhere than in `schema`. */
  asked?(field: F): JsonSchema
  /** Returns the message for a refused value, which begins with "must". */
  must(field: F): string
  /** Returns the PostgreSQL type of the column. */
  column(field: F): string
  /** Returns the check constraint of the column. Absent if the type is enough. */
  check?(field: F, column: string): string
  /** Returns the SQL that shows the column in JSON. Absent if the column is shown as it is. */
  shown?(column: string): string
  /** Checks what JSON Schema cannot express. True refuses the value with the message of `must`. */
  refuses?(field: F, value: Json): boolean
  /**
   * Returns the message for a text that is written with characters which nobody sees; it begins with "must". A stored
   * text keeps them, and is found by them.
   */
  hides?(field: F, text: string): string | undefined
  /** Returns the fields inside a value, which are checked, documented and defaulted like fields of a record. */
  members?(field: F): { readonly [name: string]: Field }
  /** True if the value is a list of such members. */
  many?: true
  /**
   * Returns the name of the value's type in the documents, or of one of its list. Absent if it has no type of its own.
   */
  typeName?(field: F): string
  /** Returns the stored form of an accepted value. Absent if they are the same. */
  stored?(field: F, value: Json): Json
  /** Returns the condition under which the column has an amount in the company's currency. Absent if it never has. */
  amount?(column: string): string
  /**
   * Returns the value of an erased person's record: null, or a lasting placeholder if the field is required. Absent if
   * the kind cannot identify anybody.
   */
  erased?(field: F, record: ErasedRecord): Json
  /**
   * Parses a text as a person writes the value. Bounds and lengths are checked later, as those of every value are. No
   * letter and no digit is dropped: `parseValue` in `derive/` is the one way to call it.
   */
  parse(text: string, field: F, habits: Habits): Read
  /** Formats a value as the text that a person would write, which `parse` reads back. */
  format(value: Json, field: F, habits: Habits): string
  /**
   * How records are found by a value that several may have. Absent if only a unique field of the kind finds its record, or a
   * title.
   */
  comparison?: Comparison
  example(field: F): Json
  /** True if `sort` may name it. */
  sortable?: true
  /**
   * The filter of a list, if it can have one: one value, several values, a range, or ids. A definition names its filters of
   * the first two kinds, since each needs an index; every field with a range and every id has the filter.
   */
  filter?: 'one' | 'several' | 'range' | 'ids'
  /** Returns the field as a reference. Absent if the value leads to no record. */
  reference?(field: F): ReferenceField
  /** Returns the field as a choice. Absent if the value is not one of a few words. */
  choice?(field: F): ChoiceField
  /** The length of a text without a form. Absent if the value has one. Lists sort lines without capitals and accents. */
  text?: 'line' | 'paragraph'
  /** Returns the prefix of the running numbers that fill the field if nobody does. */
  numbering?(field: F): string | undefined
  /** True if the service draws the value when it writes: an id or a moment. Two equal calls have two values. */
  drawn?: true
  /** Returns a sentence for the documents about what no schema can express. */
  remark?(field: F): string
}

/** SQL that compares texts: two are the same if their keys are equal and `isSame`, if there is one, is true of them. */
type Comparison = { key(text: string): string; isSame?(stored: string, text: string): string }

/** How texts are written: in a file, or by a reader of the interface. */
export type Habits = {
  /** The language of the interface, such as `en-GB` (BCP 47). */
  language: string
  /** The currency of the company (ISO 4217). */
  currency: string
  /** The sign before decimals. Undefined if nothing has decided it. */
  decimal?: DecimalSign | undefined
  /** The first part of a day such as 03/04/2026. Undefined if nothing has decided it. */
  dayOrder?: DayOrder | undefined
  /** True if amounts are whole numbers of minor units, as programs write them. */
  isMinor?: boolean
  /** Returns the labels of a choice's value, those of the reader's language first. */
  labelsOf?: (value: string) => readonly string[]
}

export const decimalSigns = ['.', ','] as const
export type DecimalSign = (typeof decimalSigns)[number]
export const dayOrders = ['day', 'month'] as const
export type DayOrder = (typeof dayOrders)[number]

/** The value of a text (null if it is empty), why it is none, or the habit that decides which of two values it is. */
export type Read = { value: Json } | { fault: Fault } | { open: OpenHabit }

/** A habit that may have to be asked for. */
export type OpenHabit = 'decimal' | 'dayOrder'

/** Why a text is no value, with the character or word that does not belong to one. */
export type Fault = { code: FaultCode; part: string }

export type FaultCode =
  | ProblemCode
  | 'not_a_number'
  | 'other_currency'
  | 'too_many_decimals'
  | 'not_hours'
  | 'not_a_day'
  | 'short_year'
  | 'has_time'
  | 'no_such_word'
  | 'not_yes_or_no'
  | 'not_a_phone'
  | 'not_an_email'
  | 'not_an_address'
  | 'not_an_id'
  | 'no_text'

/** Returns a fault. A part with an invisible character is named by its code point, since nobody would see it. */
export function refuse(code: FaultCode, part: string): Read {
  const hidden = invisibleIn(part)
  return { fault: hidden === undefined ? { code, part } : { code: 'invisible', part: hidden } }
}

/** The record whose values are erased: the singular of its resource, and its id. */
export type ErasedRecord = { readonly one: string; readonly id: number }

/** The rights by which fields are withheld: pay, the company's money, and the numbers that identify a firm. */
export const fieldRights = ['PAY', 'MONEY', 'TAX'] as const
export type FieldRight = (typeof fieldRights)[number]

/** The members that a field of any kind may have. */
export type CommonMembers = {
  /** What the field means, with its unit: one or two sentences for the documents. */
  about: string
  /** Required on create, and never cleared. */
  required?: true
  /** Set by the service, and never accepted from a caller. */
  readOnly?: true
  /**
   * The right that an account needs besides VIEW or EDIT of the resource, to see or send the field: `PAY` is the permission
   * `PAY_VIEW`. The log of calls keeps that the field was sent, never its value.
   */
  right?: FieldRight
  /** In a record about a person: true if the value identifies the person, so that an erasure removes it. */
  personal?: boolean
  /** One live record per company may have the value, as people see it (`registry/equal.ts`). */
  unique?: true
  /** The value of a record that was created without one. */
  initial?: Json
  /** The field from which this one follows while that is not null. */
  follows?: string
}
