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

/**
 * Returns the fields that fit into a cell: those of `list`, or else the title and the state, then the others in their own
 * order.
 */
export function columnsOf(definition: Definition): Column[] {
  const { title, filters, list } = definition
  const fields = fieldsOf(definition).filter(({ kind, name }) => !unfit.includes(kind) && !isCompanyField(name))
  const telling = tellingKinds.map((kind) => fields.find((field) => field.kind === kind)?.name)
  const usual = [
    ...new Set([title, ...fields.filter(({ required }) => required).map(({ name }) => name), ...filters, ...telling]),
  ]
  const initial = list?.columns ?? usual.filter((name) => name !== undefined && name !== 'id').slice(0, initialMax)
  const first = list?.columns ?? [title, 'status']
  const rank = ({ name }: FormField): number => (first.includes(name) ? first.indexOf(name) : first.length)
  return fields
    .map((field) => ({
      ...field,
      sortable: kindOf(field.field).sortable === true,
      initial: initial.includes(field.name),
    }))
    .toSorted((one, other) => rank(one) - rank(other))
}

/** Returns the order that a list begins with. */
export function sortOf({ list }: Definition): { field: string; order: 'ASC' | 'DESC' } {
  const { sort = '-id' } = list ?? {}
  return sort.startsWith('-') ? { field: sort.slice(1), order: 'DESC' } : { field: sort, order: 'ASC' }
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
