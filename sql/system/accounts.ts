import { byKey, companyRow, equalsIndexed, inOrderOf } from '../access.ts'
import type { Author } from '../author.ts'
import { withLogin } from '../citus/logins.ts'
import { query, type Statement, sql, statement } from '../statement.ts'

export type AccountRow = {
  id: number
  name: string
  email: string
  permissions: string[]
  disabled: boolean
  /** An account of a program: nobody signs in with it. */
  service: boolean
}

const accountColumns = sql`id, name, email, permissions, disabled_at is not null as disabled, is_service as service`

/** Reads whether another account of the company has the address. Several can, if they became equal by an upgrade. */
export const otherOfAddress = (companyId: number, email: string, id: number | null): Statement =>
  query('accounts.other')`select id from accounts
    where company_id = ${companyId} and email_key(email) = email_key(${email}) and not is_service
      and id is distinct from ${id}::bigint order by email_ordinal limit 1`

export type TwinsRow = { company_id: number; ids: string[] }

/** Reads the accounts of each company that have one address, which only an upgrade leaves. */
export const accountsOfOneAddress = (most: number): Statement =>
  query('accounts.twins')`select company_id, array_agg(id::text order by id) as ids from accounts where not is_service
    group by company_id, email_key(email) having count(*) > 1 order by company_id, min(id) limit ${most}`

export const insertAccount = (
  companyId: number,
  account: Omit<AccountRow, 'id' | 'disabled'> & { passwordHash: string | null },
): Statement =>
  withLogin(
    companyId,
    statement(sql`insert into accounts (company_id, name, email, permissions, password_hash, is_service)
    values (${companyId}, ${account.name}, ${account.email}, ${account.permissions}, ${account.passwordHash},
      ${account.service})
    returning ${accountColumns}`),
  )

export const accountsOf = (companyId: number): Statement =>
  statement(sql`select ${accountColumns} from accounts where company_id = ${companyId} order by id`)

/** Reads the company of an account: ids are unique across companies. */
export const companyOfAccount = (id: number): Statement =>
  statement(sql`select company_id from accounts where id = ${id}`)

export const findAccount = (companyId: number, id: number): Statement =>
  query('accounts.find')`select ${accountColumns} from ${byKey('accounts', companyId, sql`${id}::bigint`)} a`

export const lockAccount = (companyId: number, id: number): Statement =>
  statement(
    sql`select ${accountColumns} from accounts where company_id = ${companyId} and id = ${id} for no key update`,
  )

/** Updates an account. A null hash keeps the password. A changed address counts as a new one. */
export const updateAccount = (
  companyId: number,
  { id, name, email, permissions, disabled }: AccountRow,
  passwordHash: string | null,
): Statement =>
  withLogin(
    companyId,
    statement(sql`update accounts set name = ${name}, email = ${email},
      email_ordinal = case when email_key(email) = email_key(${email}) then email_ordinal else 0 end, permissions = ${permissions},
      disabled_at = ${disabled ? sql`least(disabled_at, now())` : sql`null`},
      password_hash = coalesce(${passwordHash}, password_hash)
    where company_id = ${companyId} and id = ${id} returning ${accountColumns}`),
  )

export type RightsRow = { permissions: string[]; add_ons: string[] }

/** Reads the permissions of an account, limited to those of its token, and the company's add-ons. */
export const rightsOfAuthor = ({ companyId, accountId, tokenId }: Author): Statement =>
  query('rights')`select c.add_ons, array(
        select held from unnest(a.permissions) held
        where ${tokenId}::bigint is null or held = any (t.scopes)
      ) as permissions
    from ${byKey('accounts', companyId, sql`${accountId}::bigint`)} a cross join ${companyRow(companyId)} c
    left join lateral (
      select scopes from tokens where company_id = ${companyId} and ${equalsIndexed(sql`id`, sql`${tokenId}::bigint`)} ${inOrderOf(sql`id`)}
    ) t on true`
