import type { Plan } from '#registry/plans.ts'
import { liveOf } from './access.ts'
import { type Author, logged } from './log.ts'
import { type Statement, sql, statement } from './statement.ts'

/** Companies, accounts and tokens: what Settings and the operator's command write. */

export type CompanyRow = { id: number; name: string; currency: string; plan: Plan; add_ons: string[]; is_demo: boolean }
export type AccountRow = {
  id: number
  name: string
  email: string
  permissions: string[]
  disabled: boolean
  /** Of a program: nobody signs in with it. */
  service: boolean
}
export type TokenRow = {
  id: number
  account_id: number
  /** The account that issued it; null: the operator. */
  issued_by: number | null
  label: string
  scopes: string[]
  allowlist: string[]
  sealed: Buffer
  created_at: Date
}

const companyColumns = sql`id, name, currency, plan, add_ons, is_demo`
const accountColumns = sql`id, name, email, permissions, disabled_at is not null as disabled, is_service as service`
const tokenColumns = sql`id, account_id, issued_by, label, scopes, allowlist::text[] as allowlist, sealed, created_at`

export const insertCompany = (company: Omit<CompanyRow, 'id'>): Statement =>
  statement(sql`insert into companies (name, currency, plan, add_ons, is_demo)
    values (${company.name}, ${company.currency}, ${company.plan}, ${company.add_ons}, ${company.is_demo})
    returning ${companyColumns}`)

export const findCompany = (id: number): Statement =>
  statement(sql`select ${companyColumns} from companies where id = ${id}`)

/** Waits for every transaction that holds the plan, and holds it against new ones. */
export const lockCompany = (id: number): Statement =>
  statement(sql`select ${companyColumns} from companies where id = ${id} for no key update`)

export const updateCompany = ({ id, name, currency, plan, add_ons }: CompanyRow): Statement =>
  statement(sql`update companies set name = ${name}, currency = ${currency}, plan = ${plan}, add_ons = ${add_ons}
    where id = ${id} returning ${companyColumns}`)

/** Counts the live records anew. To be run in a statement after `lockCompany`, so that it sees all of them. */
export const recountPlaces = (companyId: number, records: string): Statement =>
  statement(sql`insert into plan_usage (company_id, records, used)
    select ${companyId}, ${records}::text, count(*) from ${liveOf(records, companyId)} r
    on conflict (company_id, records) do update set used = excluded.used
    returning used`)

export const countLive = (companyId: number, records: string): Statement =>
  statement(sql`select count(*) as used from ${liveOf(records, companyId)} r`)

export const insertAccount = (
  companyId: number,
  account: Omit<AccountRow, 'id' | 'disabled'> & { passwordHash: string | null },
): Statement =>
  statement(sql`insert into accounts (company_id, name, email, permissions, password_hash, is_service)
    values (${companyId}, ${account.name}, ${account.email}, ${account.permissions}, ${account.passwordHash},
      ${account.service})
    returning ${accountColumns}`)

export const accountsOf = (companyId: number): Statement =>
  statement(sql`select ${accountColumns} from accounts where company_id = ${companyId} order by id`)

/** Ids are unique across companies, so an account tells its company. */
export const companyOfAccount = (id: number): Statement =>
  statement(sql`select company_id from accounts where id = ${id}`)

export const lockAccount = (companyId: number, id: number): Statement =>
  statement(
    sql`select ${accountColumns} from accounts where company_id = ${companyId} and id = ${id} for no key update`,
  )

/** A null hash keeps the password. An address that is another one from now on is like a new one. */
export const updateAccount = (
  companyId: number,
  { id, name, email, permissions, disabled }: AccountRow,
  passwordHash: string | null,
): Statement =>
  statement(sql`update accounts set name = ${name}, email = ${email},
      email_ordinal = case when email_key(email) = email_key(${email}) then email_ordinal else 0 end, permissions = ${permissions},
      disabled_at = case when ${disabled}::boolean then coalesce(disabled_at, now()) end,
      password_hash = coalesce(${passwordHash}, password_hash)
    where company_id = ${companyId} and id = ${id} returning ${accountColumns}`)

/** The id of a token is bound into its seal, so it is known before the row is. */
export const nextTokenId = (): Statement => statement(sql`select nextval(pg_get_serial_sequence('tokens', 'id')) as id`)

export const insertToken = (companyId: number, token: Omit<TokenRow, 'created_at'> & { hash: Buffer }): Statement =>
  statement(sql`insert into tokens (company_id, id, account_id, issued_by, label, scopes, allowlist, hash, sealed)
    values (${companyId}, ${token.id}, ${token.account_id}, ${token.issued_by}, ${token.label}, ${token.scopes}, ${token.allowlist}::cidr[],
      ${token.hash}, ${token.sealed})
    returning ${tokenColumns}`)

/** One change of a company's tokens at a time, so that the second sees what the first left. */
export const lockTokens = (companyId: number): Statement =>
  statement(sql`select pg_advisory_xact_lock(hashtext('tokens'), ${companyId % 2 ** 31}::int)`)

export const activeToken = (companyId: number): Statement =>
  statement(sql`select ${tokenColumns} from tokens where company_id = ${companyId} and revoked_at is null`)

/** Waits for every write of the token that is under way; when this is answered, none of them is to come. */
export const revokeActiveToken = (companyId: number): Statement =>
  statement(sql`update tokens set revoked_at = now() where company_id = ${companyId} and revoked_at is null
    returning ${tokenColumns}`)

export const setAllowlist = (companyId: number, allowlist: readonly string[]): Statement =>
  statement(sql`update tokens set allowlist = ${allowlist}::cidr[] where company_id = ${companyId} and revoked_at is null
    returning ${tokenColumns}`)

/** What somebody did in Settings. */
export const noteOffice = (
  author: Author,
  { records, recordId, action, changes }: { records: string; recordId: number; action: string; changes: unknown },
): Statement =>
  statement(
    logged(
      author,
      { records, action },
      sql`select ${recordId}::bigint, null::bigint, ${JSON.stringify(changes)}::json, null::json`,
    ),
  )
