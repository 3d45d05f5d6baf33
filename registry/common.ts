import type { Definition } from './definition.ts'
import type { ChoiceField } from './fields/choice.ts'
import type { Field } from './fields/index.ts'

const id: Field = { kind: 'id', about: 'Identifier, used in `/{id}` paths.', readOnly: true }

/** The field that names a record instead of its id. */
export const referenceField = 'external_ref'

export const externalRef: Field = {
  kind: 'text',
  max: 120,
  unique: true,
  // Another system finds the record by it. If it were erased, the next upsert would create the person again.
  personal: false,
  example: 'CRM-31207',
  about: 'The caller’s own identifier of the record, unique among live records of its kind.',
}

const notes: Field = {
  kind: 'paragraph',
  max: 10_000,
  personal: true,
  example: 'Gate code from the site office.',
  about: 'Free text for people.',
}

const currency: Field = {
  kind: 'text',
  max: 3,
  personal: false,
  example: 'USD',
  readOnly: true,
  about: 'The company’s currency (ISO 4217), in whose minor units all amounts are given.',
}

/** A share in percent. Taxes have up to four decimals: 8.875 in New York, 9.975 in Quebec. */
export const percent = { kind: 'decimal', min: 0, max: 100, places: 4, unit: '%' } as const

/** Returns the field of a record's state, which is at first the first of its values. */
export const state = (given: Pick<ChoiceField, 'values' | 'moves' | 'approval' | 'about'>): ChoiceField => ({
  kind: 'choice',
  initial: given.values[0] as string,
  required: true,
  ...given,
})

/** Returns a reference to the categories of one kind. */
export const categoryOf = (kind: string) =>
  ({ kind: 'reference', to: 'categories', only: { column: 'kind', value: kind } }) as const

/** Fields that can be written at any time, even in protected history. */
export const alwaysOpen: readonly string[] = ['notes', 'external_ref']

/** Fields of the company that every record shows. */
const companyFields = { currency }

const createdAt: Field = { kind: 'instant', readOnly: true, about: 'When the record was created (UTC).' }
const updatedAt: Field = { kind: 'instant', readOnly: true, about: 'When the record last changed (UTC).' }

/** Returns a definition with the fields of every record: its id first, its times last. */
export function record<const D extends Definition>(definition: D): D {
  return { ...definition, fields: { id, ...definition.fields, created_at: createdAt, updated_at: updatedAt } }
}

/**
 * Returns a definition with the fields that the six served resources share as well: external reference, notes and,
 * beside money, a currency.
 */
export function resource<const D extends Definition>(definition: D): D {
  const hasMoney = Object.values(definition.fields).some((field) => field.kind === 'money')
  const shared = { [referenceField]: externalRef, notes, ...(hasMoney ? companyFields : {}) }
  return record({ ...definition, fields: { ...definition.fields, ...shared } })
}

/** True if the field is a column of the company and not of the record's own table. */
export const isCompanyField = (name: string): boolean => Object.hasOwn(companyFields, name)
