/** The records a list is asked for. */
export type Listing = {
  filters: { readonly [field: string]: FilterValue }
  /** The words that must all occur. */
  words: readonly string[]
  sort: readonly { field: string; descending: boolean }[]
  updatedSince?: string | undefined
  /** Only records with a higher id, in the order of their ids. */
  afterId?: number | undefined
  /** These records alone; an id of none is passed over. */
  ids?: readonly number[] | undefined
  /** The caller's own reference; capitals do not count. */
  reference?: string | undefined
  /** Fields with one of several values. */
  among?: readonly { field: string; values: readonly FilterValue[] }[]
  /** Fields from one value to another, both included. */
  ranges?: readonly { field: string; from?: FilterValue; to?: FilterValue }[]
  limit: number
  offset: number
  fields?: readonly string[]
}

export type FilterValue = string | number | boolean
