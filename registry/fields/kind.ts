import type { Json, JsonSchema } from '../json.ts'
import type { Field } from './index.ts'

/**
 * The questions every kind of field answers about itself. All that is derived (SQL, checks, documents,
 * forms) asks these and knows no kind by name.
 */
export type Kind<F> = {
  /**
   * The values accepted, as JSON Schema; null is added by the one who allows it. A pattern is plain enough for RE2: no
   * lookaround, no back reference, NUL as `\\x00`.
   */
  schema(field: F): JsonSchema
  /** What the documents say besides of a value that is sent: what the service sees to elsewhere than in `schema`. */
  asked?(field: F): JsonSchema
  /** The sentence a refused value gets, beginning with "must". */
  must(field: F): string
  /** The PostgreSQL type of its column. */
  column(field: F): string
  /** The condition its column keeps, or nothing where the type says it all. */
  check?(field: F, column: string): string
  /** How the column is shown in JSON; the column itself when absent. */
  shown?(column: string): string
  /** What JSON Schema cannot say: true refuses the value with the same sentence. */
  refuses?(field: F, value: Json): boolean
  /** The fields inside a value; checked, documented and defaulted like those of a record. */
  members?(field: F): { readonly [name: string]: Field }
  /** The value is a list of such members. */
  many?: true
  /** What the documents call such a value, or one of its list, where it is a type of its own. */
  typeName?(field: F): string
  /** An accepted value as it is kept, where that is not the value itself. */
  stored?(field: F, value: Json): Json
  /** The condition under which its column has an amount in the company's currency; nothing where it never has. */
  amount?(column: string): string
  /**
   * What an erased person's record has in the field: null, or a lasting placeholder where the field is required. Kinds
   * without it cannot identify anybody.
   */
  erased?(field: F, record: ErasedRecord): Json
  example(field: F): Json
  /** Whether `sort` may name it. */
  sortable: boolean
  /**
   * How a list is narrowed by it: by one value, by one or several, or from one to another. Of the first two a
   * definition names those that it has an index for; every field with a range has the filter.
   */
  filter: 'one' | 'several' | 'range' | null
}

/** The record whose values are erased: what one of its kind is called, and its id. */
export type ErasedRecord = { readonly one: string; readonly id: number }

/** What a field can be withheld for: pay, the company's money, numbers by which others identify a firm. */
export const fieldRights = ['PAY', 'MONEY', 'TAX'] as const
export type FieldRight = (typeof fieldRights)[number]

/** What any field may say besides what its kind needs. */
export type Common = {
  /** What the field means, with its unit: one or two sentences for the documents. */
  about: string
  /** Required on create, and never cleared. */
  required?: true
  /** Set by the service, shown, never accepted. */
  readOnly?: true
  /**
   * The right that an account needs besides VIEW or EDIT of the resource, to see or send the field: `PAY` is the permission
   * `PAY_VIEW`. The log of calls keeps that the field was sent, never its value.
   */
  right?: FieldRight
  /** Of a record that is about a person: whether the value tells who that is, and goes when the person is erased. */
  personal?: boolean
  /** One live record per company may have the value, ignoring case. */
  unique?: true
  /** The value of a record that was created without one. */
  initial?: Json
}
