import type { Json } from '#registry/json.ts'

/** One thing that happened to a record. */
export type Entry = {
  at: string
  who: { account_id: number; name: string } | null
  door: string
  token_label: string | null
  /** Whoever issued that token. */
  issuer: { account_id: number; name: string } | null
  action: string
  changes: { [field: string]: [Json, Json] } | null
}
