import type { Definition } from '#registry/definition.ts'
import { schemaName } from '../words.ts'

/** What an operation does in the Postman collection, whose folders are run from top to bottom. */
export type Collection = {
  /** It makes what others of its folder use, uses it, or takes it away. */
  turn: 'makes' | 'uses' | 'removes'
  requests: readonly CollectionRequest[]
}

export type CollectionRequest = {
  /** What follows the summary of the operation in its name. */
  suffix?: string
  sends?: readonly CollectionHeader[]
  /** Headers that are there and switched off. */
  offers?: readonly CollectionHeader[]
  /** What the script says when it has looked at the `data` of an answer, and how it looks. */
  title: string
  checks: readonly string[]
}

export const inCollection = (turn: Collection['turn'], ...requests: CollectionRequest[]): Collection => ({
  turn,
  requests,
})

export type CollectionHeader = 'Idempotency-Key' | 'X-Dry-Run' | 'If-Match' | 'If-None-Match'

/** The collection variable that create sets and the other calls read: `project_id`. */
export const idVariable = (definition: Definition): string => `${variable(definition)}_id`

/** The ETag that fetch saw. */
export const tagVariable = (definition: Definition): string => `${variable(definition)}_etag`

/** `time_entry` for a TimeEntry. */
const variable = (definition: Definition): string =>
  schemaName(definition)
    .replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`)
    .toLowerCase()
