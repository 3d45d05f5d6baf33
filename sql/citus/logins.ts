import { companyRow } from '../access.ts'
import { query, type Statement, type Steps } from '../statement.ts'

/**
 * The table `logins`, which every server has: a sign-in names no company, so each server must find the accounts of an
 * address.
 */

/** Reads the accounts of an address that can sign in, one company after the other. */
export const candidatesThere =
  (email: string, accountId: number | null, most: number): Steps =>
  async (run) => {
    const logins = await run<{ subject: Buffer; company_id: number | null; account_id: number | null }>(
      query('logins.find')`select email_subject(${email}) as subject, l.company_id, l.account_id
        from (select) nobody left join logins l on l.email_key = email_key(${email})
          and (${accountId}::bigint is null or l.account_id = ${accountId})
        order by l.account_id`,
    )
    const rows: object[] = []
    for (const { subject, company_id, account_id } of logins) {
      if (company_id === null || account_id === null || rows.length === most) continue
      const [row] = await run<object>(
        query('accounts.candidate')`select a.company_id, c.name as company_name, a.id, a.name, a.password_hash
          from accounts a cross join ${companyRow(company_id)} c
          where a.company_id = ${company_id} and a.id = ${account_id} and not a.is_service
            and a.password_hash is not null and a.disabled_at is null`,
      )
      if (row) rows.push({ subject, ...row })
    }
    return rows.length > 0 ? rows : [{ ...logins[0], company_id: null }]
  }

/** Returns a write of an account that also updates its address in `logins` if that has changed. */
export const withLogin = (companyId: number, write: Statement): Statement => ({
  ...write,
  distributed: async (run) => {
    const rows = await run<{ id: number; email: string; service: boolean }>(write)
    const [account] = rows
    if (!account || account.service) return rows
    const known = await run(
      query('logins.same')`select from logins where company_id = ${companyId} and account_id = ${account.id}
        and email_key = email_key(${account.email})`,
    )
    if (known.length === 0)
      await run(
        query('logins.keep')`
          insert into logins (company_id, account_id, email_key) values (${companyId}, ${account.id}, email_key(${account.email}))
          on conflict (company_id, account_id) do update set email_key = excluded.email_key`,
      )
    return rows
  },
})
