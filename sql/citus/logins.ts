import { companyRow } from '../access.ts'
import { query, type Statement, type Steps } from '../statement.ts'

/**
 * The table `logins`, which every server has: a sign-in names no company, so each server must find the accounts of an
 * address.
 */

/** The company and the account of a statement that reads nobody. */
const nobody = { company_id: 0, account_id: 0 }

/**
 * Reads the chosen accounts of an address that can sign in, one company after the other. It asks for `most` accounts
 * however many there are: the number of statements would show in the time of a sign-in.
 */
export const candidatesThere =
  (
    email: string,
    { accountId, companyId }: { accountId: number | null; companyId: number | null },
    most: number,
  ): Steps =>
  async (run) => {
    const logins = await run<{ subject: Buffer; company_id: number | null; account_id: number | null }>(
      query('logins.find')`select email_subject(${email}) as subject, l.company_id, l.account_id
        from (select) nobody left join logins l on l.email_key = email_key(${email})
        order by l.account_id`,
    )
    const all = logins.flatMap(({ company_id, account_id }) =>
      company_id === null || account_id === null ? [] : [{ company_id, account_id }],
    )
    const common = { subject: logins[0]?.subject, of_address: all.length }
    const chosen = all.filter(
      ({ company_id, account_id }) =>
        (accountId === null || account_id === accountId) && (companyId === null || company_id === companyId),
    )
    const rows: object[] = []
    for (let asked = 0; asked < Math.max(most, chosen.length) && rows.length < most; asked++) {
      const { company_id, account_id } = chosen[asked] ?? nobody
      const [row] = await run<object>(
        query('accounts.candidate')`select a.company_id, c.name as company_name, a.id, a.name, a.password_hash
          from accounts a cross join ${companyRow(company_id)} c
          where a.company_id = ${company_id} and a.id = ${account_id} and not a.is_service
            and a.password_hash is not null and a.disabled_at is null`,
      )
      if (row) rows.push({ ...common, ...row })
    }
    return rows.length > 0 ? rows : [{ ...common, company_id: null }]
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
