import { join, raw } from 'sql-template-tag'
import { byKey, companyRow, inOrderOf } from '../access.ts'
import { identifier, type Statement, type Steps, sql, statement } from '../statement.ts'

/** The demo companies, and the accounts that the demo made for them. */

export type DemoAccountRow = {
  company_id: number
  company_name: string
  id: number
  name: string
  email: string
  disabled: boolean
  /** Disabled by PLUMBLINE_DEMO=off. */
  closed: boolean
  sealed: Buffer | null
  password_hash: string | null
  /** The password is the one that was noted last. */
  is_noted: boolean
}

/** One process at a time adds, opens, closes or removes the demo; the next one waits and then sees what was done. */
export const lockDemo = (): Statement => statement(sql`select pg_advisory_xact_lock(hashtext('demo'))`)

export type DemoCompanyRow = { id: number; name: string }

/** Oldest first. */
export const demoCompanies = (): Statement => statement(sql`select id, name from companies where is_demo order by id`)

/** Oldest first: the owner of a company before the others. */
export const demoAccounts = (): Statement =>
  statement(sql`select d.company_id, c.name as company_name, d.account_id as id, a.name, a.email,
      a.disabled_at is not null as disabled, d.closed_at is not null as closed, d.sealed, a.password_hash,
      a.password_hash is not distinct from d.password_hash as is_noted
    from demo_accounts d
    cross join lateral ${byKey('accounts', raw('d.company_id'), raw('d.account_id'))} a
    cross join lateral ${companyRow(raw('d.company_id'))} c
    order by d.company_id, d.account_id`)

/** Notes the password that the account has now, and whether it was closed. */
export const insertDemoAccount = (
  companyId: number,
  accountId: number,
  { sealed, closed }: { sealed: Buffer | null; closed: boolean },
): Statement =>
  statement(sql`insert into demo_accounts (company_id, account_id, sealed, password_hash, closed_at)
    select company_id, id, ${sealed}, password_hash, case when ${closed}::boolean then now() end
    from accounts where company_id = ${companyId} and id = ${accountId}
    on conflict (company_id, account_id) do update
    set sealed = excluded.sealed, password_hash = excluded.password_hash, closed_at = excluded.closed_at`)

/** The account is somebody's own from here on. */
export const forgetDemoAccount = (companyId: number, accountId: number): Statement =>
  statement(sql`delete from demo_accounts where company_id = ${companyId} and account_id = ${accountId}`)

export const demoWasRemoved = (): Statement => statement(sql`select exists (select from demo_removals) as removed`)

export const insertDemoRemoval = (): Statement => statement(sql`insert into demo_removals default values`)

export type DemoUseRow = { own_accounts: number; own_records: number; records: number }

/**
 * What a demo company holds, and what of it the demo did not make: it was made in one transaction, and so has one
 * moment in its history.
 */
export const useOfDemo = (companyId: number, kinds: readonly string[]): Statement =>
  statement(sql`select
    (select count(*)::int from (
      select from accounts a where a.company_id = c.id and not exists (
        select from demo_accounts d where d.company_id = c.id and d.account_id = a.id offset 0
      ) ${inOrderOf(sql`a.id`)}
    ) own) as own_accounts,
    (select count(*)::int from (
      select from history h where h.company_id = c.id and h.records = any (${kinds}::text[])
        and h.action = 'created' and h.at <> c.created_at ${inOrderOf(sql`h.id`)}
    ) own) as own_records,
    ${join(
      kinds.map(
        (kind) => sql`(select count(*)::int from (
          select from ${identifier(kind)} r where r.company_id = c.id ${inOrderOf(sql`r.id`)}
        ) r)`,
      ),
      ' + ',
    )} as records
    from companies c where c.id = ${companyId}`)

/** Waits for every write of the company that is under way, and lets no other begin. */
export const holdCompany = (companyId: number): Statement =>
  statement(sql`select id from companies where id = ${companyId} for update`)

/** Every table that holds anything of a company, as an identifier that can stand in a statement. */
export const tablesOfCompanies = (): Statement =>
  statement(sql`select quote_ident(c.relname) as table
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attname = 'company_id'
      and not a.attisdropped
    order by c.relname`)

/** A company with everything of it, in one statement: references are looked at when all of it is gone. */
export const deleteCompany = (companyId: number, tables: readonly string[]): Statement =>
  statement(
    sql`with ${join(
      tables.map(
        (table, index) =>
          sql`${identifier(`gone_${index}`)} as (delete from ${identifier(table)} where company_id = ${companyId})`,
      ),
    )} delete from companies where id = ${companyId}`,
    undefined,
    tables.includes('logins') ? deleteThere(companyId, tables) : undefined,
  )

/** The table that is on every server is no part of what one of them is asked. */
const deleteThere =
  (companyId: number, tables: readonly string[]): Steps =>
  async (run) => {
    await run(statement(sql`delete from logins where company_id = ${companyId}`))
    return run(
      deleteCompany(
        companyId,
        tables.filter((table) => table !== 'logins'),
      ),
    )
  }
