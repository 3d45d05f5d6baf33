import type { Json } from '../json.ts'
import { idMax } from '../limits.ts'
import { type CommonMembers, type Kind, type Read, refuse } from './kind.ts'
import { spell } from './spelling.ts'

/** The record's own number. */
type IdField = CommonMembers & { kind: 'id' }

function parse(text: string): Read {
  const spelled = spell(text)
  if (spelled === '') return { value: null }
  return /^\d{1,15}$/.test(spelled) ? { value: Number(spelled) } : refuse('not_an_id', spelled)
}

const format = (value: Json): string => String(value)

export const id: Kind<IdField> = {
  schema: () => ({ type: 'integer', format: 'int64', minimum: 1, maximum: idMax }),
  must: () => 'must be the id of a record',
  column: () => 'bigint',
  parse,
  format,
  // The first demo company has a record with this id in every collection.
  example: () => 17,
  sortable: true,
  filter: 'ids',
  drawn: true,
}

/** The id of a live record of another resource, of the same company. */
export type ReferenceField = CommonMembers & {
  kind: 'reference'
  to: string
  /** Only records with this value of this column are eligible; any other is as good as missing. */
  only?: { readonly column: string; readonly value: string }
  /** An id that the first demo company has, where only some records are eligible. */
  example?: number
  /** Columns of the record referred to that the rules of this one read. */
  reads?: readonly string[]
  /**
   * The fields that a new record copies from the one referred to while that is in this state: ours and theirs. `part` is
   * the sum of the record referred to over the records that refer to it: where it has such, a person says which part is
   * copied.
   */
  gives?: {
    readonly when?: { readonly [column: string]: readonly (string | boolean)[] }
    readonly fields: { readonly [ours: string]: string }
    readonly part?: string
  }
  /** True if a write works out anew what the record referred to computes of its sums. */
  settles?: true
  /** True if the reference builds a tree: no chain of references leads back to its start. */
  tree?: true
}

export const reference: Kind<ReferenceField> = {
  schema: () => ({ type: 'integer', format: 'int64', minimum: 1, maximum: idMax }),
  must: () => 'must be the id of a record (a positive whole number)',
  column: () => 'bigint',
  parse,
  format,
  // An id from 7 to 12, different by resource. The first demo company has all of them, also in resources without
  // routes.
  example: ({ to, example }) => example ?? 7 + (to.length % 5),
  filter: 'several',
  reference: (field) => field,
}
