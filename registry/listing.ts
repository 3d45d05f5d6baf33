/** The records a list is asked for. */
export type Listing = {
  filters: { readonly [field: string]: string | number | boolean }
  /** The words that must all occur. */
  words: readonly string[]
  sort: readonly { field: string; descending: boolean }[]
  updatedSince?: string | undefined
  /** Only records with a higher id, in the order of their ids. */
  afterId?: number | undefined
  /** What the console asks besides: these records alone, one of several values, days from one to another. */
  ids?: readonly number[]
  among?: readonly { field: string; values: readonly string[] }[]
  days?: readonly { field: string; from?: string; to?: string }[]
  limit: number
  offset: number
  fields?: readonly string[]
}
