import { isCompanyField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { memoize } from '#registry/memoize.ts'
import { calculatedFields } from './input.ts'

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

/** The kinds of field in each section of a form, in the order of the sections. */
const sections = {
  basics: ['text', 'choice', 'flag', 'reference', 'email', 'phone', 'url', 'country', 'currency', 'iban', 'time_zone'],
  dates: ['date'],
  place: ['address'],
  amounts: ['money', 'decimal', 'integer'],
  lines: ['lines'],
  words: ['paragraph'],
  record: ['id', 'instant'],
} as const satisfies { readonly [name: string]: readonly Field['kind'][] }

export type Section = { name: keyof typeof sections; fields: readonly FormField[] }

/** Returns the fields of a form, in sections by their kinds. */
export const formSections = (definition: Definition): Section[] =>
  sectionsOf(fieldsOf(definition).filter(({ readOnly }) => !readOnly))

/** Returns the fields of a page that shows a record, with those that the service sets. */
export const showSections = (definition: Definition): Section[] =>
  sectionsOf(fieldsOf(definition).filter(({ name }) => !isCompanyField(name) && name !== definition.title))

export const fieldsOf = memoize((definition: Definition): readonly FormField[] =>
  Object.entries(definition.fields).map(([name, field]) => formField(name, field)),
)

/** Returns the field at a path such as `lines[3].quantity`. */
export function fieldAt(fields: readonly FormField[], path: string): FormField | undefined {
  const [name, ...inside] = path.split(/[.[\]]+/).filter((part) => /\D/.test(part))
  const field = fields.find((each) => each.name === name)
  return inside.length > 0 ? fieldAt(field?.members ?? [], inside.join('.')) : field
}

/** Returns the value at such a path, or null if there is none. */
export const valueAt = (values: Json, path: string): Json =>
  path.split(/[.[\]]+/).reduce((inside, part) => (isParent(inside) ? (inside[part] ?? null) : null), values)

const isParent = (value: Json): value is JsonObject => typeof value === 'object' && value !== null

/** Returns the sums that follow from the other inputs. They are shown beside the form and never sent. */
export const computedFields = (definition: Definition): FormField[] => {
  const names = calculatedFields(definition)
  return fieldsOf(definition).filter(({ name }) => names.includes(name))
}

/** Returns a field as a form shows it. */
export function formField(name: string, field: Field): FormField {
  const members = kindOf(field).members?.(field)
  return {
    name,
    kind: field.kind,
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

const sectionsOf = (fields: readonly FormField[]): Section[] =>
  Object.entries<readonly Field['kind'][]>(sections)
    .map(([name, kinds]) => ({
      name: name as Section['name'],
      fields: fields.filter(({ kind }) => kinds.includes(kind)),
    }))
    .filter((section) => section.fields.length > 0)
