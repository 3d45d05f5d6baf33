import type { Definition, Problem } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { Habits } from '#registry/fields/kind.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { invalidFields } from '#registry/refusals.ts'
import { definitionOf, type Registry } from '#registry/resources/index.ts'
import { type Catalogue, valueLabels } from '../labels.ts'
import { parseValue, unreadProblems } from '../parse-value.ts'
import { mayBeNull } from '../schema.ts'

/** Texts of agents as values of /v1. Decisions, Values. */

type Fields = { readonly [name: string]: Field }

/** An agent writes the numbers of /v1 as texts: with JSON's sign, and amounts in minor units of whatever currency. */
export const numbersAsText: Habits = { language: 'en', currency: 'XXX', decimal: '.', isMinor: true }

export const agentHabits = (catalogues: readonly Pick<Catalogue, 'records'>[], definition: Definition): Habits => ({
  ...numbersAsText,
  labelsOf: valueLabels(catalogues, definition),
})

/** Returns a value for a text that means one. Any other text stays, for /v1 to refuse it. */
export function readText(sent: Json, field: Field, habits: Habits): Json {
  const members = kindOf(field).members?.(field)
  if (members && Array.isArray(sent))
    return sent.map((each) => (isObject(each) ? readTexts(members, each, habits) : each))
  if (members && isObject(sent)) return readTexts(members, sent, habits)
  if (typeof sent !== 'string') return sent
  const read = parseValue(sent, field, habits)
  return 'value' in read ? (read.value ?? sent) : sent
}

export const readTexts = (fields: Fields, sent: JsonObject, habits: Habits): JsonObject =>
  Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      return [name, field ? readText(value, field, habits) : value]
    }),
  )

/** Returns the members that are given: null stands for none. */
export const withoutNulls = (sent: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null))

/**
 * Returns operations as /v1 takes them. Throws if a reader refuses a text that /v1 would store. In the body of a new record,
 * null is not given where the field cannot be null; everywhere else it clears the field.
 */
export function readOperations(
  served: Registry,
  catalogues: readonly Pick<Catalogue, 'records'>[],
  sent: readonly JsonObject[],
): JsonObject[] {
  const problems: Problem[] = []
  const operations = sent.map((each, n) => {
    const operation = readTexts({ id }, withoutNulls(each), numbersAsText)
    const definition = definitionOf(served, String(operation.records))
    if (!definition || !isObject(operation.body)) return operation
    const { fields } = definition
    const habits = agentHabits(catalogues, definition)
    const body = readTexts(fields, operation.body, habits)
    problems.push(...unreadProblems(fields, body, habits, `operations[${n}].body.`))
    const isNew = operation.id === undefined && operation.external_ref === undefined
    const isGiven = ([name, value]: [string, Json]) =>
      !isNew || value !== null || !fields[name] || mayBeNull(fields[name])
    return { ...operation, body: Object.fromEntries(Object.entries(body).filter(isGiven)) }
  })
  if (problems.length > 0) throw invalidFields(problems)
  return operations
}

const id: Field = { kind: 'id', about: 'The id of a record.' }
