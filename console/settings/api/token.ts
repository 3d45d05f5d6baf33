/** The active token of the company, without its text. */
export type Token = {
  id: number
  label: string
  scopes: string[]
  allowlist: string[]
  account: { id: number; name: string } | null
  /** Null: the operator. */
  issued_by: { id: number; name: string } | null
  created_at: string
  last_used_at: string | null
  last_peer: string | null
}

export type Options = { scopes: { scope: string; held: boolean }[]; base_url: string; curl: string }
