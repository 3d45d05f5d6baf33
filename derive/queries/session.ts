import { raw, type Sql } from 'sql-template-tag'
import type { Plan } from '#registry/plans.ts'
import { byKey, companyRow, exactly, inOrderOf } from './access.ts'
import { type Statement, sql, statement } from './statement.ts'
import { sweepFrom } from './sweep.ts'

/** Sessions of the web interface. A session is told by its company and the hash of its id. */
export type SessionKey = { companyId: number; idHash: Buffer }

/** Who is signed in, as it is this moment. */
export type SessionRow = {
  account_id: number
  account_name: string
  email: string
  permissions: string[]
  company_name: string
  currency: string
  plan: Plan
  add_ons: string[]
  /** Not noted as seen for a while. */
  stale: boolean
}

const sessionIdleHours = 12
const sessionDays = 30
/** How far `last_seen_at` may lag behind, so that not every request writes. */
const seenLagSeconds = 60

/** The session itself, held as `lock` says. */
const bySession = ({ companyId, idHash }: SessionKey, lock = ''): Sql => sql`(
    select ctid, * from sessions where company_id = ${companyId} and ${exactly(sql`id_hash`, idHash)}
    ${inOrderOf(sql`id_hash`)} ${raw(lock)}
  )`

const seen = (key: SessionKey, lock = '') => sql`
  select s.account_id, a.name as account_name, a.email, a.permissions,
    c.name as company_name, c.currency, c.plan, c.add_ons,
    s.last_seen_at < now() - make_interval(secs => ${seenLagSeconds}) as stale
  from ${bySession(key, lock)} s
  cross join lateral ${byKey('accounts', key.companyId, raw('s.account_id'), lock)} a
  cross join ${companyRow(key.companyId)} c
  where s.expires_at > now()
    and s.last_seen_at > now() - make_interval(hours => ${sessionIdleHours}) and a.disabled_at is null`

export const seeSession = (key: SessionKey): Statement => statement(seen(key), 'session')

/**
 * The session of a write, held until it ends: signing out, disabling the account or taking a permission away waits for
 * it, so that once any of these has been answered nothing of the old rights is still to come.
 */
export const holdSession = (key: SessionKey): Statement => statement(seen(key, 'for share'), 'session.hold')

/** Another request may be using the session; then it is seen to be alive without us. */
export const touchSession = (key: SessionKey): Statement =>
  statement(
    sql`update sessions set last_seen_at = now() where ctid = any (array(
      select s.ctid from ${bySession(key, 'for update skip locked')} s
    ))`,
    'session.touch',
  )

export const insertSession = ({ companyId, idHash }: SessionKey, accountId: number): Statement =>
  statement(
    sql`insert into sessions (company_id, id_hash, account_id, expires_at)
    values (${companyId}, ${idHash}, ${accountId}, now() + make_interval(days => ${sessionDays}))`,
    'session.insert',
  )

export const deleteSession = (key: SessionKey): Statement =>
  statement(
    sql`delete from sessions where ctid = any (array(select s.ctid from ${bySession(key, 'for update')} s))`,
    'session.delete',
  )

/** The sessions of an account, but for one where that is given. */
export const deleteSessionsOf = (companyId: number, accountId: number, but: Buffer | null): Statement =>
  statement(
    sql`delete from sessions where ctid = any (array(
      select ctid from sessions where company_id = ${companyId} and ${exactly(sql`account_id`, accountId)}
        and id_hash is distinct from ${but} ${inOrderOf(sql`account_id`)} for update
    ))`,
    'session.delete-all',
  )

/** Removes up to `most` sessions that are over, a row for each. */
export const sweepSessions = (most: number): Statement =>
  statement(sql`${sweepFrom('sessions', sql`where expires_at < now()`, most)} returning 1 as swept`, 'sessions.sweep')
