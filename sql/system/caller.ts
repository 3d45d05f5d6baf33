import { empty, join, raw, type Sql } from 'sql-template-tag'
import { approvalPermissions, fieldPermissions, viewPermissions } from '#registry/permissions.ts'
import { servedResources } from '#registry/resources/index.ts'
import { byKey, companyRow, equalsIndexed, inOrderOf } from '../access.ts'
import { batchMaxOf, createBatchableRead, type StatementInput } from '../batchable.ts'
import { sql } from '../statement.ts'
import { isLive } from './tokens.ts'

/** The token and peer of a call, and the scopes and add-ons that its route needs. */
export type CallerAsk = {
  companyId: number
  tokenHash: Buffer
  /** All needed scopes, with commas between; an empty text accepts any token. */
  scopes: string
  /** All needed add-ons, in the same form. */
  addOns: string
  /** The peer's IPv4 address; null if it has none. */
  peer: string | null
}

/** The caller and its current rights. */
export type CallerRow = {
  token_id: number
  account_id: number
  /** Whether the token is neither revoked nor expired, and its account is not disabled. */
  live: boolean
  address_allowed: boolean
  /** One of the needed scopes that the caller lacks. */
  lacks_scope: string | null
  /** The permissions of fields and of approvals that its account lacks; null if it has all. */
  lacks_rights: string[] | null
  /** The permissions to read resources of /v1 that its token or its account lacks, of a write; null if it has all. */
  lacks_views?: string[] | null
  /** The time zone of its company, of a write. */
  time_zone?: string
  /** A missing add-on, the API's own first. */
  feature_off: string | null
  currency: string
  /** The secret of its company that goes into ETags. */
  tag_key: string
  /** Whether its company stores details of calls. */
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
 * Selects the caller, to be joined with the columns of a read: one statement, one round trip. `lock` locks the token's
 * row for a write. The account is looked up by its key; a company has few tokens at a time and many over the years.
 */
export const callerOf = (
  { companyId, tokenHash, scopes, addOns, peer }: StatementInput<CallerAsk>,
  lock = '',
): Sql => sql`
  select t.id as token_id, t.account_id,
    ${isLive('t.')} and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce(${peer}::inet <<= any (t.allowlist), false) as address_allowed,
    case when not (${splitNames(scopes)} <@ t.scopes and ${splitNames(scopes)} <@ a.permissions) then (
      select scope from unnest(${splitNames(scopes)}) scope where scope <> all (t.scopes) or scope <> all (a.permissions) limit 1
    ) end as lacks_scope,
    ${lackedOf(rightsOfAccounts, [sql`a.permissions`])} as lacks_rights,${lock === '' ? empty : factsOfWrite}
    case when 'api' <> all (c.add_ons) then 'api' when not ${splitNames(addOns)} <@ c.add_ons then (
      select add_on from unnest(${splitNames(addOns)}) add_on where add_on <> all (c.add_ons) limit 1
    ) end as feature_off,
    c.currency, c.tag_key, c.keeps_call_details as keeps_details
  from (select * from tokens ${ofToken(companyId, tokenHash)} ${raw(lock)}) t
  cross join lateral ${byKey('accounts', companyId, raw('t.account_id'))} a
  cross join ${companyRow(companyId)} c`

/** Returns the permissions that are not in all of these lists; null if none is missing. All are constants. */
const lackedOf = (permissions: Sql, held: readonly Sql[]): Sql => {
  const isMissing = held.map((list) => sql`not ${permissions} <@ ${list}`)
  const oneIsMissing = held.map((list) => sql`code <> all (${list})`)
  return sql`case when ${join(isMissing, ' or ')} then array(
      select code from unnest(${permissions}) code where ${join(oneIsMissing, ' or ')}
    ) end`
}

const constant = (codes: readonly string[]): Sql => raw(`'{${codes.join()}}'::text[]`)

const rightsOfAccounts = constant([...fieldPermissions, ...approvalPermissions(servedResources)])

const factsOfWrite = sql`
    ${lackedOf(constant(viewPermissions(servedResources)), [sql`t.scopes`, sql`a.permissions`])} as lacks_views,
    c.time_zone,`

const splitNames = (names: string | Sql): Sql => sql`string_to_array(${names}::text, ',')`

export const ofToken = (companyId: number | Sql, tokenHash: Buffer | Sql): Sql =>
  sql`where company_id = ${companyId} and ${equalsIndexed(sql`hash`, tokenHash)} ${inOrderOf(sql`hash`)}`

/** The caller of a write, as the first statements of its transaction find it: by a token or by a session. */
export type CallerSource<Values extends { companyId: number } = { companyId: number }> = {
  /** The beginning of the names of the statements. */
  name: string
  values: Values
  /** Selects the caller with its rights, its row locked. */
  query(given: StatementInput<Values>, lock: string): Sql
  /** The condition on its columns by which the write may go on. */
  passes: Sql
  /** Selects one row if the caller is live, else none. */
  live(given: StatementInput<Values>): Sql
}

/** Returns the caller with a token. */
export const tokenSource = (ask: CallerAsk): CallerSource<CallerAsk> => ({
  name: '',
  values: ask,
  query: callerOf,
  passes: raw('live and address_allowed and lacks_scope is null and feature_off is null'),
  live: ({ companyId, tokenHash }) =>
    sql`(select from (select * from tokens ${ofToken(companyId, tokenHash)}) t where ${isLive()} offset 0)`,
})

/** Reads the caller alone, for a read that is refused in any case. */
export const selectCaller = createBatchableRead<CallerAsk>({
  name: 'caller',
  types: callerTypes,
  batchMax: batchMaxOf.records,
  query: callerOf,
})
