import type { ForeignText } from './foreign.ts'

/**
 * Returns a text of others as it is: for inputs, which must keep it, for addresses, and for comparisons. Never for
 * showing it. `.dependency-cruiser.cjs` lists the files that may use it.
 */
export const rawText = (text: ForeignText): string => text as unknown as string
