import { isCompanyField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import { type FormField, fieldsOf } from '../form.ts'

/** The table and the filters of a resource. */

/** A column of a list; `initial` ones are shown until a person chooses others. */
export type Column = FormField & { sortable: boolean; initial: boolean }

export type Filter = FormField & { parameter: string }

const tellingKinds: readonly Field['kind'][] = ['email', 'date', 'decimal', 'money']
const initialMax = 7

/** Returns the fields that fit into a cell: the title, the state, then the others in their own order. */
export function columnsOf(definition: Definition): Column[] {
  const { title, filters } = definition
  const fields = fieldsOf(definition).filter(({ kind, name }) => !unfit.includes(kind) && !isCompanyField(name))
  const telling = tellingKinds.map((kind) => fields.find((field) => field.kind === kind)?.name)
  const wanted = [
    ...new Set([title, ...fields.filter(({ required }) => required).map(({ name }) => name), ...filters, ...telling]),
  ]
  const initial = wanted.filter((name) => name !== undefined && name !== 'id').slice(0, initialMax)
  const rank = ({ name }: FormField): number => (name === title ? 0 : name === 'status' ? 1 : 2)
  return fields
    .map((field) => ({
      ...field,
      sortable: kindOf(field.field).sortable === true,
      initial: initial.includes(field.name),
    }))
    .toSorted((one, other) => rank(one) - rank(other))
}

/** Returns the filters of a list, with from and to for each day. */
export const filtersOf = (definition: Definition): Filter[] => {
  const fields = fieldsOf(definition)
  const equal = fields.filter(({ name }) => definition.filters.includes(name))
  const days = fields.filter(({ kind }) => kind === 'date')
  return [
    ...equal.map((field) => ({ ...field, parameter: field.name })),
    ...days.flatMap((field) =>
      (['from', 'to'] as const).map((end) => ({ ...field, required: false, parameter: `${field.name}_${end}` })),
    ),
  ]
}

const unfit: readonly Field['kind'][] = ['lines', 'paragraph', 'address']
