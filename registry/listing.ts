/** The range of a page. */
export type PageCut = { limit: number; offset: number }

/** The parameters of a list. */
export type ListRequest = PageCut & {
  filters: { readonly [field: string]: FilterValue }
  /** Words that must all occur. */
  words: readonly string[]
  sort: readonly { field: string; descending: boolean }[]
  updatedSince?: string | undefined
  /** Only records with a higher id, in the order of their ids. */
  afterId?: number | undefined
  /** Only these records. An id without a record is ignored. */
  ids?: readonly number[] | undefined
  /** The caller's own reference, compared by its key (`registry/equal.ts`). */
  reference?: string | undefined
  /** Fields with one of several values. */
  among?: readonly { field: string; values: readonly FilterValue[] }[]
  /** Fields from one value to another, both included. */
  ranges?: readonly { field: string; from?: FilterValue; to?: FilterValue }[]
  fields?: readonly string[] | undefined
}

export type FilterValue = string | number | boolean
