import type { Sql } from 'sql-template-tag'
import { type Askable, type BriefStatement, brief, togetherMax } from './brief.ts'
import { sql } from './statement.ts'

/** What a call shows of itself, and what its route asks for. */
export type CallerAsk = {
  companyId: number
  tokenHash: Buffer
  scope: string
  addOn: string
  /** The peer's IPv4 address; null when it is none. */
  peer: string | null
}

/** Who calls and what is open to them, as it is this moment. */
export type CallerRow = {
  token_id: number
  account_id: number
  /** The token is active and its account too. */
  live: boolean
  address_allowed: boolean
  in_scope: boolean
  /** The add-on that is missing, the API's own first. */
  feature_off: string | null
  currency: string
}

export const callerTypes = {
  companyId: 'bigint',
  tokenHash: 'bytea',
  scope: 'text',
  addOn: 'text',
  peer: 'text',
} as const

/** The caller of a read, to be joined with what is wanted: one statement, one round trip. */
export const callerOf = ({ companyId, tokenHash, scope, addOn, peer }: Askable<CallerAsk>): Sql => sql`
  select t.id as token_id, t.account_id,
    t.revoked_at is null and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce(${peer}::inet <<= any (t.allowlist), false) as address_allowed,
    ${scope}::text = any (t.scopes) and ${scope}::text = any (a.permissions) as in_scope,
    case when 'api' <> all (c.add_ons) then 'api' when ${addOn}::text <> all (c.add_ons) then ${addOn}::text end as feature_off,
    c.currency
  from tokens t
  join accounts a on a.company_id = t.company_id and a.id = t.account_id
  join companies c on c.id = t.company_id
  where t.company_id = ${companyId} and t.hash = ${tokenHash}`

/** The caller alone: of a read that is refused in any case. */
export const seeCaller = (ask: CallerAsk): BriefStatement =>
  brief('caller', callerTypes, ask, togetherMax.records, callerOf)
