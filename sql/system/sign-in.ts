import { raw } from 'sql-template-tag'
import { companyRow } from '../access.ts'
import { candidatesThere } from '../citus/logins.ts'
import { query, type Statement, sql, statement } from '../statement.ts'
import { sweepFrom } from './sweep.ts'

/** Statements of a sign-in: the accounts of an address, and the count of attempts. */

/** The account or the company that the caller names, if any. */
export type SignInChoice = { accountId: number | null; companyId: number | null }

/**
 * Returns the number of accounts whose passwords a sign-in compares. It follows from what the caller sends alone, so the
 * time of a sign-in does not tell how many accounts an address has. Decisions, Console.
 */
export function signInAccountsMax({ accountId, companyId }: SignInChoice): number {
  if (accountId !== null) return 1
  // A company has several accounts of one address only if they were equal after an upgrade.
  return companyId === null ? 20 : 5
}

/** An account of the address. Without an account there is a single row with the subject alone. */
export type CandidateRow = {
  /** The key under which attempts with this address are counted. */
  subject: Buffer
  /** The number of accounts of the address, whether they are chosen or not. */
  of_address: number
  company_id: number | null
  company_name: string
  id: number
  name: string
  password_hash: string
}

/** Reads the chosen accounts of an address, oldest first. Subject and look-up are made of the same key. */
export const candidatesFor = (email: string, choice: SignInChoice): Statement =>
  statement(
    sql`select email_subject(${email}) as subject, coalesce(a.of_address, 0) as of_address, a.company_id,
      c.name as company_name, a.id, a.name, a.password_hash
    from (select) nobody
    left join lateral (
      select company_id, id, name, password_hash, of_address from (
        select *, count(*) over ()::int as of_address from (
          select company_id, id, name, password_hash, disabled_at from accounts
          where email_key(email) = email_key(${email}) and not is_service order by id
        ) in_order
      ) of_address
      where password_hash is not null and disabled_at is null
        and (${choice.accountId}::bigint is null or id = ${choice.accountId})
        and (${choice.companyId}::bigint is null or company_id = ${choice.companyId})
      order by id limit ${signInAccountsMax(choice)}
    ) a on true
    left join lateral ${companyRow(raw('a.company_id'))} c on true
    order by a.id`,
    'accounts.candidates',
    candidatesThere(email, choice, signInAccountsMax(choice)),
  )

export const passwordOf = (companyId: number, accountId: number): Statement =>
  query('accounts.password')`select password_hash from accounts where company_id = ${companyId} and id = ${accountId}`

export type AttemptRow = { subject: Buffer; attempts: number; seconds_left: number }

/**
 * Counts one more attempt for each subject before its result is known, so that many concurrent ones cannot all pass. A
 * window that is over begins anew. Rows are locked in one order, so that two statements never wait for each other.
 */
export const countAttempt = (subjects: readonly Buffer[], windowSeconds: number): Statement =>
  query('attempts.count')`insert into password_attempts as p (subject, attempts, started_at)
    select subject, 1, now() from unnest(${subjects}::bytea[]) subject order by subject
    on conflict (subject) do update set
      attempts = case when p.started_at < now() - make_interval(secs => ${windowSeconds}) then 1 else p.attempts + 1 end,
      started_at = case when p.started_at < now() - make_interval(secs => ${windowSeconds}) then now() else p.started_at end
    returning subject, attempts,
      ceil(extract(epoch from p.started_at + make_interval(secs => ${windowSeconds}) - now()))::int as seconds_left`

/** Deletes all attempts of some subjects, and takes the last one of others back. Rows are locked in one order. */
export const forgiveAttempts = (forgotten: readonly Buffer[], returned: readonly Buffer[]): Statement =>
  query('attempts.forgive')`with held as (
      select subject from password_attempts where subject = any (${[...forgotten, ...returned]}::bytea[])
      order by subject for update
    ), gone as (
      delete from password_attempts p using held where p.subject = held.subject and p.subject = any (${forgotten}::bytea[])
    )
    update password_attempts p set attempts = greatest(p.attempts - 1, 0) from held
    where p.subject = held.subject and p.subject = any (${returned}::bytea[])`

/** Removes up to `most` counts whose window is over. Returns a row for each. */
export const sweepAttempts = (most: number, windowSeconds: number): Statement =>
  query('attempts.sweep')`
    ${sweepFrom('password_attempts', sql`where started_at < now() - make_interval(secs => ${windowSeconds})`, most)}
    returning 1 as swept`
