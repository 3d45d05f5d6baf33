import { isCompanyField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import { createBlankRecord } from './input.ts'

/** The fields of a resource as pages need them to show and edit it. Pages name kinds of field, and no resource. */
export type FormField = {
  name: string
  kind: Field['kind']
  field: Field
  required: boolean
  readOnly: boolean
  max?: number
  options?: readonly string[]
  moves?: { readonly [from: string]: readonly string[] } | undefined
  approval?: string | undefined
  to?: string
  /** Filters of the list from which a record is chosen. */
  only?: { readonly [filter: string]: string }
  members?: readonly FormField[]
}

type SectionName = 'basics' | 'dates' | 'amounts' | 'place' | 'lines' | 'words' | 'record'
export type Section = { name: SectionName; fields: readonly FormField[] }

/** Returns the fields of a form, in sections by their kinds. */
export const formSections = (definition: Definition): Section[] =>
  sectionsOf(fieldsOf(definition).filter(({ readOnly }) => !readOnly))

/** Returns the fields of a page that shows a record, with those that the service sets. */
export const showSections = (definition: Definition): Section[] =>
  sectionsOf(fieldsOf(definition).filter(({ name }) => !isCompanyField(name) && name !== definition.title))

export const fieldsOf = (definition: Definition): FormField[] =>
  Object.entries(definition.fields).map(([name, field]) => formField(name, field))

/** Returns the sums that follow from the other inputs. They are shown beside the form and never sent. */
export const computedFields = (definition: Definition): FormField[] => {
  const names = Object.keys(definition.computed?.(createBlankRecord(definition)) ?? {})
  return fieldsOf(definition).filter(({ name }) => names.includes(name))
}

function formField(name: string, field: Field): FormField {
  const members = kindOf(field).members?.(field)
  return {
    name,
    kind: shownKind(name, field),
    field,
    required: field.required === true,
    readOnly: field.readOnly === true,
    ...('max' in field && { max: field.max }),
    ...(field.kind === 'choice' && { options: field.values, moves: field.moves, approval: field.approval }),
    ...(field.kind === 'reference' && { to: field.to }),
    ...(field.kind === 'reference' && field.only && { only: { [field.only.column]: field.only.value } }),
    ...(members && { members: Object.entries(members).map(([member, of]) => formField(member, of)) }),
  }
}

/** An amount inside a value is a whole number; its name marks it as an amount. */
const shownKind = (name: string, { kind }: Field): Field['kind'] =>
  kind === 'integer' && name.endsWith('_minor') ? 'money' : kind

const sectionNames: readonly SectionName[] = ['basics', 'dates', 'place', 'amounts', 'lines', 'words', 'record']

const sectionsOf = (fields: readonly FormField[]): Section[] =>
  sectionNames
    .map((name) => ({ name, fields: fields.filter((field) => sectionOf[field.kind] === name) }))
    .filter((section) => section.fields.length > 0)

const sectionOf: { readonly [kind in Field['kind']]: SectionName } = {
  text: 'basics',
  choice: 'basics',
  flag: 'basics',
  reference: 'basics',
  email: 'basics',
  phone: 'basics',
  url: 'basics',
  country: 'basics',
  date: 'dates',
  address: 'place',
  money: 'amounts',
  decimal: 'amounts',
  integer: 'amounts',
  lines: 'lines',
  paragraph: 'words',
  id: 'record',
  instant: 'record',
}
