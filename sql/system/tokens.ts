import { raw, type Sql } from 'sql-template-tag'
import { type Statement, sql, statement } from '../statement.ts'

export type TokenRow = {
  id: number
  account_id: number
  /** The account that issued it; null for the operator. */
  issued_by: number | null
  label: string
  scopes: string[]
  allowlist: string[]
  sealed: Buffer
  created_at: Date
  /** The time at which it expires; null for never. */
  expires_at: Date | null
}

/** Returns whether a token of these columns is neither revoked nor expired, by the clock of the database. */
export const isLive = (of = ''): Sql =>
  raw(`${of}revoked_at is null and (${of}expires_at is null or ${of}expires_at > now())`)

/** The time at which the token `t` was revoked or expired; null if it still works. */
export const endedAt = 'least(t.revoked_at, case when t.expires_at <= now() then t.expires_at end)'

const tokenColumns = sql`id, account_id, issued_by, label, scopes, allowlist::text[] as allowlist, sealed, created_at, expires_at`

/** Draws the id of a token, which its seal is bound to, before its row is inserted, and its time. */
export const nextTokenId = (): Statement =>
  statement(sql`select nextval(pg_get_serial_sequence('tokens', 'id')) as id, now() as at`)

export const insertToken = (companyId: number, token: Omit<TokenRow, 'created_at'> & { hash: Buffer }): Statement =>
  statement(sql`insert into tokens (company_id, id, account_id, issued_by, label, scopes, allowlist, expires_at, hash, sealed)
    values (${companyId}, ${token.id}, ${token.account_id}, ${token.issued_by}, ${token.label}, ${token.scopes}, ${token.allowlist}::cidr[],
      ${token.expires_at}, ${token.hash}, ${token.sealed})
    returning ${tokenColumns}`)

export const activeToken = (companyId: number): Statement =>
  statement(sql`select ${tokenColumns} from tokens where company_id = ${companyId} and revoked_at is null`)

/** Revokes the active token. Waits for all running writes of the token: after the answer none of them commits. */
export const revokeActiveToken = (companyId: number): Statement =>
  statement(sql`update tokens set revoked_at = now() where company_id = ${companyId} and revoked_at is null
    returning ${tokenColumns}`)

/** Changes the token. Waits for its running writes, like every change of it. */
export const setTokenScopes = (companyId: number, label: string, scopes: readonly string[]): Statement =>
  statement(sql`update tokens set label = ${label}, scopes = ${scopes} where company_id = ${companyId} and revoked_at is null
    returning ${tokenColumns}`)

export const setAllowlist = (companyId: number, allowlist: readonly string[]): Statement =>
  statement(sql`update tokens set allowlist = ${allowlist}::cidr[] where company_id = ${companyId} and revoked_at is null
    returning ${tokenColumns}`)
