import type { JsonObject } from '#registry/json.ts'

/** One of some words, as a type. */
export const enumType = (
  name: string,
  words: readonly string[],
  description: string,
): { [name: string]: JsonObject } => ({ [name]: { type: 'string', enum: [...words], description } })

/** One word alone, as a member by which a type is told from its like. */
export const oneWord = (word: string): JsonObject => ({ type: 'string', enum: [word] })
