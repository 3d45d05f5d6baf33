import type { CommonMembers, Kind } from './kind.ts'

/**
 * One of a few words. If the word is a state, `moves` has the steps between them. A record may be created in any
 * state, because records arrive from other systems with a history.
 */
export type ChoiceField = CommonMembers & {
  kind: 'choice'
  values: readonly string[]
  moves?: { readonly [from: string]: readonly string[] }
  /** The value that approves a record. Setting or replacing it needs `<RECORDS>_APPROVE`. */
  approval?: string
}

export const choice: Kind<ChoiceField> = {
  schema: ({ values }) => ({ type: 'string', enum: values }),
  must: ({ values }) => `must be one of ${values.join(', ')}`,
  column: () => 'text',
  check: ({ values }, column) => `${column} in (${values.map((value) => `'${value}'`).join(', ')})`,
  example: ({ values }) => values[0] as string,
  sortable: true,
  filter: 'several',
  choice: (field) => field,
}

/** Yes or no. */
type FlagField = CommonMembers & { kind: 'flag' }

export const flag: Kind<FlagField> = {
  schema: () => ({ type: 'boolean' }),
  must: () => 'must be true or false',
  column: () => 'boolean',
  example: () => false,
  sortable: true,
  filter: 'one',
}
