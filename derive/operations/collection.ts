import type { Definition } from '#registry/definition.ts'
import { schemaName } from '../words.ts'

/** The part of an operation in the Postman collection, whose folders run from top to bottom. */
export type Collection = {
  /** Whether the call creates the record of its folder, uses it, or deletes it. */
  turn: 'makes' | 'uses' | 'removes'
  requests: readonly CollectionRequest[]
}

export type CollectionRequest = {
  /** Appended to the summary in the name of the request. */
  suffix?: string
  sends?: readonly CollectionHeader[]
  /** Headers that are present and switched off. */
  offers?: readonly CollectionHeader[]
  /** The title and the code of the script's check of `data`. */
  title: string
  checks: readonly string[]
}

export const inCollection = (turn: Collection['turn'], ...requests: CollectionRequest[]): Collection => ({
  turn,
  requests,
})

export type CollectionHeader = 'Idempotency-Key' | 'X-Dry-Run' | 'If-Match' | 'If-None-Match'

/** Returns the name of the collection's variable for the id of a record: `project_id`. The create sets it, other calls use it. */
export const idVariable = (definition: Definition): string => `${variable(definition)}_id`

/** Returns the name of the collection's variable for the ETag of a record: `project_etag`. The fetch sets it. */
export const tagVariable = (definition: Definition): string => `${variable(definition)}_etag`

/** Returns the first part of a variable's name: `time_entry` for the schema TimeEntry. */
const variable = (definition: Definition): string =>
  schemaName(definition)
    .replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`)
    .toLowerCase()
