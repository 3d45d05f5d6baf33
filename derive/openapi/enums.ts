import type { JsonObject } from '#registry/json.ts'

/**
 * One of some words, as a type. Each word has a name that no other type uses (`PROJECT_STATUS_ACTIVE`, as Protocol Buffers
 * have it): languages whose constants share one space could not tell the ACTIVE of a project from that of a worker.
 */
export const enumType = (
  name: string,
  words: readonly string[],
  description: string,
): { [name: string]: JsonObject } => ({
  [name]: {
    type: 'string',
    enum: [...words],
    description,
    'x-enum-varnames': words.map((word) => `${constant(name)}_${ofWord(word)}`),
  },
})

/** PROJECT_STATUS of ProjectStatus. */
const constant = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()

/** A minus, which sorts the other way round, is said at the end. */
const ofWord = (word: string): string => (word.startsWith('-') ? `${word.slice(1)}_DESC` : word).toUpperCase()
