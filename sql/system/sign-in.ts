import { raw } from 'sql-template-tag'
import { companyRow } from '../access.ts'
import { candidatesThere } from '../citus/logins.ts'
import { query, type Statement, sql, statement } from '../statement.ts'
import { sweepFrom } from './sweep.ts'

/** Statements of a sign-in: the accounts of an address, and the count of attempts. */

/** Accounts of one address whose passwords a sign-in compares. Decisions, Console. */
export const signInAccountsMax = 5

/** An account of the address. Without an account there is a single row with the subject alone. */
export type CandidateRow = {
  /** The key under which attempts with this address are counted. */
  subject: Buffer
  company_id: number | null
  company_name: string
  id: number
  name: string
  password_hash: string
}

/**
 * Reads the accounts of an address that can sign in, the oldest first; `accountId` limits them to one. The subject of
 * the attempts is made of the same key as the look-up.
 */
export const candidatesFor = (email: string, accountId: number | null): Statement =>
  statement(
    sql`select email_subject(${email}) as subject, a.company_id, c.name as company_name, a.id, a.name, a.password_hash
    from (select) nobody
    left join lateral (
      select company_id, id, name, password_hash from accounts
      where email_key(email) = email_key(${email}) and not is_service
        and password_hash is not null and disabled_at is null
        and (${accountId}::bigint is null or id = ${accountId})
      order by id limit ${signInAccountsMax}
    ) a on true
    left join lateral ${companyRow(raw('a.company_id'))} c on true
    order by a.id`,
    'accounts.candidates',
    candidatesThere(email, accountId, signInAccountsMax),
  )

/** Reads the password hash of a signed-in account. */
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
