import type { Definition } from '#registry/definition.ts'
import { type Registry, registry } from '#registry/resources/index.ts'

/** Which records lead to which, as pages need it. */

/** Records of `records` refer to the one at hand by `by`; the lists of the console can be narrowed to them. */
export type Related = { records: Definition; by: string }

export const relatedTo = (name: string, all: Registry = registry): Related[] =>
  all.flatMap((records) =>
    Object.entries(records.fields)
      .filter(([, field]) => field.kind === 'reference' && field.to === name)
      .map(([by]) => ({ records, by })),
  )

const refers = ({ fields }: Definition): boolean => Object.values(fields).some(({ kind }) => kind === 'reference')

/** Words to sort by, kept in Settings: nothing but a name, referring to nothing. */
export const isLookup = (definition: Definition): boolean => !definition.served && !refers(definition)

/** The records of the day's work: known to the console alone, and referring to what is served. */
export const isBusinessDocument = (definition: Definition): boolean => !definition.served && refers(definition)

/** The field whose value is where a record stands, and the steps from there. */
export const statusOf = (definition: Definition) => {
  const field = definition.fields.status
  return field?.kind === 'choice' ? field : undefined
}

/** From there nothing leads on, so a step to it is not to be taken by mistake. */
export const isFinal = (definition: Definition, state: string): boolean => stepsFrom(definition, state).length === 0

export const stepsFrom = (definition: Definition, state: unknown): readonly string[] =>
  statusOf(definition)?.moves?.[String(state)] ?? []
