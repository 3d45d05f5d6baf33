import { type Statement, sql, statement } from './statement.ts'
import { sweepFrom } from './sweep.ts'

/** Signing in: finding the account, and counting how often somebody tried. */

export type CredentialsRow = {
  company_id: number
  id: number
  password_hash: string | null
  disabled: boolean
}

/** An e-mail address belongs to one account of the whole service. */
export const credentialsByEmail = (email: string): Statement =>
  statement(
    sql`select company_id, id, password_hash, disabled_at is not null as disabled
    from accounts where lower(email) = lower(${email})`,
    'accounts.credentials-by-email',
  )

export const credentialsOf = (companyId: number, accountId: number): Statement =>
  statement(
    sql`select company_id, id, password_hash, disabled_at is not null as disabled
    from accounts where company_id = ${companyId} and id = ${accountId}`,
    'accounts.credentials',
  )

export type AttemptRow = { subject: Buffer; attempts: number; seconds_left: number }

/**
 * Counts one more try for each subject, before it is known how it ends: many at once cannot all slip through. A window
 * that is over begins anew. Rows are taken in one order, so that two statements never wait for each other.
 */
export const countAttempt = (subjects: readonly Buffer[], windowSeconds: number): Statement =>
  statement(
    sql`insert into password_attempts as p (subject, attempts, started_at)
    select subject, 1, now() from unnest(${subjects}::bytea[]) subject order by subject
    on conflict (subject) do update set
      attempts = case when p.started_at < now() - make_interval(secs => ${windowSeconds}) then 1 else p.attempts + 1 end,
      started_at = case when p.started_at < now() - make_interval(secs => ${windowSeconds}) then now() else p.started_at end
    returning subject, attempts,
      ceil(extract(epoch from p.started_at + make_interval(secs => ${windowSeconds}) - now()))::int as seconds_left`,
    'attempts.count',
  )

/** A right password forgets the tries for the address it was given with, and does not count for the peer. */
export const forgiveAttempts = (email: Buffer, peer: Buffer | null): Statement =>
  statement(
    sql`with forgotten as (delete from password_attempts where subject = ${email})
    update password_attempts set attempts = greatest(attempts - 1, 0) where subject = ${peer}`,
    'attempts.forgive',
  )

/** Removes up to `most` counts whose window is over, a row for each. */
export const sweepAttempts = (most: number, windowSeconds: number): Statement =>
  statement(
    sql`${sweepFrom('password_attempts', sql`where started_at < now() - make_interval(secs => ${windowSeconds})`, most)}
    returning 1 as swept`,
    'attempts.sweep',
  )
