import { raw, type Sql } from 'sql-template-tag'
import { isCompanyField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf, referenceOf } from '#registry/fields/index.ts'
import type { ReferenceField } from '#registry/fields/reference.ts'
import { memoize } from '#registry/memoize.ts'

/** The columns of the tables of a definition, and the indexes that statements and errors name. */

/** Returns the fields with a column of their own. */
export const columnsOf = memoize((definition: Definition): readonly [string, Field][] =>
  Object.entries(definition.fields).filter(([name]) => !isCompanyField(name)),
)

/** Returns the fields that refer to a record. */
export const referencesOf = memoize(({ fields }: Definition): readonly [string, ReferenceField][] =>
  Object.entries(fields).flatMap(([name, field]): [string, ReferenceField][] => {
    const reference = referenceOf(field)
    return reference ? [[name, reference]] : []
  }),
)

/** Returns columns with their types, as a source of rows declares them. */
export const typedColumns = (columns: readonly [string, Field][]): Sql =>
  raw(columns.map(([column, field]) => `${column} ${kindOf(field).column(field)}`).join(', '))

/** Returns the name of the index that keeps a field unique among live records. */
export const uniqueIndex = (definition: Definition, field: string): string => `${definition.name}_${field}_live`

/** Returns the field that a violated index keeps unique, if it is one of these. */
export const fieldOfIndex = (definition: Definition, index: string): string | undefined =>
  uniqueFields(definition).find((field) => uniqueIndex(definition, field) === index)

export const uniqueFields = memoize((definition: Definition): readonly string[] =>
  columnsOf(definition)
    .filter(([, field]) => field.unique)
    .map(([name]) => name),
)

/** Returns the fields whose telephone numbers a search finds. */
export const phonesOf = memoize(({ fields }: Definition): readonly string[] =>
  Object.entries(fields).flatMap(([name, { kind, right }]) => (kind === 'phone' && right === undefined ? [name] : [])),
)

/** Returns some of the fields as a part of the name of a statement: a bit for each, in hexadecimal. */
export const shapeOf = (fields: readonly string[], some: readonly string[]): string =>
  fields.reduce((bits, field, index) => (some.includes(field) ? bits | (1n << BigInt(index)) : bits), 0n).toString(16)

/** Returns the fields by whose value an index finds live records: the filters of a list, and every reference. */
export const equalityIndexes = (definition: Definition): string[] => [
  ...new Set([...definition.filters, ...referencesOf(definition).map(([column]) => column)]),
]
