import { type Definition, isIn } from '#registry/definition.ts'
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

/** Returns the resources that can be created from a record, with their first values. */
export const madeFrom = ({ name }: Definition, record: JsonObject): { records: Definition; given: JsonObject }[] =>
  registry.flatMap((records) =>
    Object.entries(records.fields).flatMap(([by, field]) => {
      if (field.kind !== 'reference' || field.to !== name || !field.gives || !isIn(record, field.gives.when)) return []
      const given = field.gives.fields.map((each) => [each, record[each] ?? null])
      return [{ records, given: { ...Object.fromEntries(given), [by]: record.id as number } }]
    }),
  )
