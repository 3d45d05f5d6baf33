import { raw, type Sql } from 'sql-template-tag'
import { byKey, companyRow, exactly, inOrderOf } from '../access.ts'
import { type Askable, batchable, batchMaxOf } from '../batchable.ts'
import { type Statement, sql, statement } from '../statement.ts'

/** What a call shows of itself, and what its route asks for. */
export type CallerAsk = {
  companyId: number
  tokenHash: Buffer
  /** All that are needed, with commas between; none: any token will do. */
  scopes: string
  /** The same of add-ons. */
  addOns: string
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
  /** One of them that the caller lacks. */
  lacks_scope: string | null
  /** The add-on that is missing, the API's own first. */
  feature_off: string | null
  currency: string
  /** Its company wants the log of calls to keep what they say. */
  keeps_details: boolean
}

export const callerTypes = {
  companyId: 'bigint',
  tokenHash: 'bytea',
  scopes: 'text',
  addOns: 'text',
  peer: 'text',
} as const

/**
 * The caller, to be joined with what is wanted: one statement, one round trip. `lock` holds the token's row. Its account
 * is looked up by its key; a company has few tokens at a time and many over the years.
 */
export const callerOf = ({ companyId, tokenHash, scopes, addOns, peer }: Askable<CallerAsk>, lock = ''): Sql => sql`
  select t.id as token_id, t.account_id,
    t.revoked_at is null and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce(${peer}::inet <<= any (t.allowlist), false) as address_allowed,
    case when not (${all(scopes)} <@ t.scopes and ${all(scopes)} <@ a.permissions) then (
      select scope from unnest(${all(scopes)}) scope where scope <> all (t.scopes) or scope <> all (a.permissions) limit 1
    ) end as lacks_scope,
    case when 'api' <> all (c.add_ons) then 'api' when not ${all(addOns)} <@ c.add_ons then (
      select add_on from unnest(${all(addOns)}) add_on where add_on <> all (c.add_ons) limit 1
    ) end as feature_off,
    c.currency, c.keeps_call_details as keeps_details
  from (select * from tokens ${ofToken(companyId, tokenHash)} ${raw(lock)}) t
  cross join lateral ${byKey('accounts', companyId, raw('t.account_id'))} a
  cross join ${companyRow(companyId)} c`

/** Those that commas part. */
const all = (names: string | Sql): Sql => sql`string_to_array(${names}::text, ',')`

/** The token of a company with this hash. */
export const ofToken = (companyId: number | Sql, tokenHash: Buffer | Sql): Sql =>
  sql`where company_id = ${companyId} and ${exactly(sql`hash`, tokenHash)} ${inOrderOf(sql`hash`)}`

/** Whether the caller has a scope that its call does not need: on the token, and held by its account. */
export const holdsScope = ({ companyId, tokenHash }: CallerAsk, scope: string): Statement =>
  statement(
    sql`select ${scope}::text = any (t.scopes) and ${scope}::text = any (a.permissions) as holds
    from (select * from tokens ${ofToken(companyId, tokenHash)}) t
    cross join lateral ${byKey('accounts', companyId, raw('t.account_id'))} a`,
    'caller.holds-scope',
  )

/** The caller alone: of a read that is refused in any case. */
export const selectCaller = batchable<CallerAsk>({
  name: 'caller',
  types: callerTypes,
  batchMax: batchMaxOf.records,
  query: callerOf,
})
