import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { type FormField, fieldsOf } from '../form.ts'
import { lockedFields } from '../protection.ts'
import { isFinal } from './relations.ts'

/** A step of a record: a field of its state gets another value. */
export type Step = { field: string; to: string | boolean }

/** Returns the amount of a record: the first that its list adds up, else its last one. */
export function amountField(definition: Definition): FormField | undefined {
  const amounts = fieldsOf(definition).filter(({ kind }) => kind === 'money')
  return amounts.find(({ name }) => definition.list?.totals?.includes(name)) ?? amounts.at(-1)
}

/** Returns the fields that identify a record for people: title, number, references, what it needs and its amount. */
export function tellingFields(definition: Definition): FormField[] {
  const fields = fieldsOf(definition)
  const amount = amountField(definition)
  return fields.filter(
    ({ name, kind, required, field }) =>
      name === definition.title ||
      name === amount?.name ||
      kind === 'reference' ||
      (field.kind === 'text' && field.numbered !== undefined) ||
      (required && !['choice', 'flag', 'lines'].includes(kind)),
  )
}

/** Returns the days that the new state needs. They are entered with the step. */
export function askedFields(definition: Definition, record: JsonObject, { to }: Step): FormField[] {
  const { needs } = definition
  const enters = needs?.status.includes(String(to)) && !needs.status.includes(String(record.status))
  return enters ? fieldsOf(definition).filter(({ name, kind }) => needs?.fields.includes(name) && kind === 'date') : []
}

/** Returns the consequences of a step, about which a person is asked. Undefined if the step needs no question. */
export function weightOf(definition: Definition, record: JsonObject, { field, to }: Step): StepWeight | undefined {
  const { protection } = definition
  if (field === 'status' && isFinal(definition, String(to))) return 'final'
  if (!protection?.when[field]) return undefined
  const [from, into] = [record[field], to].map((value) => protection.when[field]?.includes(value as string | boolean))
  return from ? (into ? 'within' : 'opens') : into ? 'locks' : 'plain'
}

export type StepWeight = 'final' | 'locks' | 'opens' | 'within' | 'plain'

/**
 * Returns the fields that the form of a stored record leaves out: locked ones, and the state of a record that can be
 * locked, which changes by steps.
 */
export const settledFields = (definition: Definition, record: JsonObject): string[] => [
  ...lockedFields(definition, record),
  ...Object.keys(definition.protection?.when ?? {}),
]

/** True if a form can change anything of the record. */
export function isEditable(definition: Definition, record: JsonObject): boolean {
  const settled = settledFields(definition, record)
  return fieldsOf(definition).some(({ name, readOnly }) => !readOnly && !settled.includes(name))
}
