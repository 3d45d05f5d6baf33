import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { type FormField, fieldsOf } from '../form.ts'
import { lockedFields } from '../protection.ts'
import { isFinal } from './relations.ts'

/** What pages know of the steps of a record: a field of its state goes to another value. */
export type Step = { field: string; to: string | boolean }

/** The fields by which people tell which record a step is about: its title, number, references, what it needs and its amount. */
export function tellingFields(definition: Definition): FormField[] {
  const fields = fieldsOf(definition)
  const amount = fields.findLast(({ kind }) => kind === 'money')
  return fields.filter(
    ({ name, kind, required, field }) =>
      name === definition.title ||
      name === amount?.name ||
      kind === 'reference' ||
      (field.kind === 'text' && field.numbered !== undefined) ||
      (required && !['choice', 'flag', 'lines'].includes(kind)),
  )
}

/** The days that the state needs to which a step leads: they are given with the step. */
export function askedFields(definition: Definition, record: JsonObject, { to }: Step): FormField[] {
  const { needs } = definition
  const enters = needs?.status.includes(String(to)) && !needs.status.includes(String(record.status))
  return enters ? fieldsOf(definition).filter(({ name, kind }) => needs?.fields.includes(name) && kind === 'date') : []
}

/** What to be told before a step. */
export const doubtsOf = ({ doubts = [] }: Definition, record: JsonObject, { to }: Step, today: string): string[] =>
  doubts.filter((doubt) => doubt.to === to && doubt.isSo(record, today)).map(({ code }) => code)

/** What a step means for the record, where somebody has to be asked about it; undefined where it is taken at once. */
export function weightOf(definition: Definition, record: JsonObject, { field, to }: Step): StepWeight | undefined {
  const { protection } = definition
  if (field === 'status' && isFinal(definition, String(to))) return 'final'
  if (!protection?.when[field]) return undefined
  const [from, into] = [record[field], to].map((value) => protection.when[field]?.includes(value as string | boolean))
  return from ? (into ? 'within' : 'opens') : into ? 'locks' : 'plain'
}

export type StepWeight = 'final' | 'locks' | 'opens' | 'within' | 'plain'

/**
 * The fields that the form of a stored record does not ask for: what is locked, and of what can be locked its state, to
 * which steps lead.
 */
export const settledFields = (definition: Definition, record: JsonObject): string[] => [
  ...lockedFields(definition, record),
  ...Object.keys(definition.protection?.when ?? {}),
]

/** Whether there is anything in a record that a form could change. */
export function isEditable(definition: Definition, record: JsonObject): boolean {
  const settled = settledFields(definition, record)
  return fieldsOf(definition).some(({ name, readOnly }) => !readOnly && !settled.includes(name))
}
