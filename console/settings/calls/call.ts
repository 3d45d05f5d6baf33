/** A call of the API, as the log has it. */
export type Call = {
  id: number
  at: string
  request_id: string
  route: string
  record_id: number | null
  status: number
  code: string | null
  ms: number
  peer: string | null
  dry_run: boolean
  replayed: boolean
  counted: boolean
  outcome: string
  token_label: string
  token_active: boolean
  gate?: string | null
  advice?: string | null
}
