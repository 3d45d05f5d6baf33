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
  /** Whether PLUMBLINE_DEMO=off disabled it. */
  closed: boolean
  sealed: Buffer | null
  password_hash: string | null
  /** Whether the password is the one stored last by the demo. */
  is_noted: boolean
}

/** Locks the demo: one process at a time adds, opens, closes or removes it. The next one then sees the result. */
export const lockDemo = (): Statement => statement(sql`select pg_advisory_xact_lock(hashtext('demo'))`)

export type DemoCompanyRow = { id: number; name: string }

/** Reads the demo companies, oldest first. */
export const demoCompanies = (): Statement => statement(sql`select id, name from companies where is_demo order by id`)

/** Reads the demo accounts, oldest first: the owner of a company before the others. */
export const demoAccounts = (): Statement =>
  statement(sql`select d.company_id, c.name as company_name, d.account_id as id, a.name, a.email,
      a.disabled_at is not null as disabled, d.closed_at is not null as closed, d.sealed, a.password_hash,
      a.password_hash is not distinct from d.password_hash as is_noted
    from demo_accounts d
    cross join lateral ${byKey('accounts', raw('d.company_id'), raw('d.account_id'))} a
    cross join lateral ${companyRow(raw('d.company_id'))} c
    order by d.company_id, d.account_id`)

/** Stores the current password of the account, and whether it was closed. */
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

/** Forgets an account of the demo: from now on it belongs to a person. */
export const forgetDemoAccount = (companyId: number, accountId: number): Statement =>
  statement(sql`delete from demo_accounts where company_id = ${companyId} and account_id = ${accountId}`)

export const demoWasRemoved = (): Statement => statement(sql`select exists (select from demo_removals) as removed`)

export const insertDemoRemoval = (): Statement => statement(sql`insert into demo_removals default values`)

export type DemoUseRow = { own_accounts: number; own_records: number; records: number }

/** Counts the records of a demo company, and those not of the one moment in which the demo was created. */
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

/** Waits for all running writes of the company, and blocks new ones. */
export const holdCompany = (companyId: number): Statement =>
  statement(sql`select id from companies where id = ${companyId} for update`)

/** Reads every table with rows of companies, as a quoted identifier. */
export const tablesOfCompanies = (): Statement =>
  statement(sql`select quote_ident(c.relname) as table
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attname = 'company_id'
      and not a.attisdropped
    order by c.relname`)

/** Deletes a company with all its rows in one statement: foreign keys are checked when all of them are deleted. */
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

/** Deletes it on its server. The table `logins` is on every server, so it has a statement of its own. */
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
