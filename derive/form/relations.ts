import { type Definition, isIn } from '#registry/definition.ts'
import { referenceOf } from '#registry/fields/index.ts'
import type { JsonObject } from '#registry/json.ts'
import { registry } from '#registry/resources/index.ts'

/** The relations between resources, as pages need them. */

/** Records that refer to the current one by the field `by`. The console can filter their list by it. */
export type ReferringRecords = { records: Definition; by: string }

export const relatedTo = (name: string): ReferringRecords[] =>
  registry.flatMap((records) =>
    Object.entries(records.fields)
      .filter(([, field]) => field.kind === 'reference' && field.to === name)
      .map(([by]) => ({ records, by })),
  )

const hasReference = ({ fields }: Definition): boolean => Object.values(fields).some(({ kind }) => kind === 'reference')

/** True if the resource is a list of words in Settings: it has a name and refers to nothing. */
export const isLookup = (definition: Definition): boolean => !definition.served && !hasReference(definition)

/** True if the resource belongs to the console alone and refers to served ones. */
export const isBusinessDocument = (definition: Definition): boolean => !definition.served && hasReference(definition)

/** Returns the field with the state of a record, and its steps. */
export const statusOf = (definition: Definition) => {
  const field = definition.fields.status
  return field?.kind === 'choice' ? field : undefined
}

/** True if no step leads on from the state, so that the interface asks before the step to it. */
export const isFinal = (definition: Definition, state: string): boolean => stepsFrom(definition, state).length === 0

export const stepsFrom = (definition: Definition, state: unknown): readonly string[] =>
  statusOf(definition)?.moves?.[String(state)] ?? []

/** Returns the resources whose records are made of a record in its state, and begin with values of it. */
export const madeFrom = ({ name }: Definition, record: JsonObject): ReferringRecords[] =>
  relatedTo(name).filter(
    ({ records, by }) => referenceOf(records.fields[by])?.gives?.when && valuesFrom(records, by, record) !== undefined,
  )

/**
 * Returns the values that a new record copies from the one it refers to by a field; undefined if that gives none. One that
 * refers to nothing itself leaves the reference of the new record as it is.
 */
export function valuesFrom(definition: Definition, by: string, from: JsonObject): JsonObject | undefined {
  const field = definition.fields[by]
  if (field?.kind !== 'reference' || !field.gives || !isIn(from, field.gives.when ?? {})) return undefined
  const values = Object.entries(field.gives.fields).map(([ours, theirs]) => [ours, from[theirs] ?? null] as const)
  return Object.fromEntries(values.filter(([ours, value]) => value !== null || !referenceOf(definition.fields[ours])))
}
