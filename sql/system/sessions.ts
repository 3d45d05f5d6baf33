import { raw, type Sql } from 'sql-template-tag'
import type { SubscriptionPlan } from '#registry/subscription.ts'
import { byKey, companyRow, equalsIndexed, inOrderOf } from '../access.ts'
import { eitherSql, instant, type Statement, sql, statement } from '../statement.ts'
import { sweepStatement } from './sweep.ts'

/** Sessions of the console. A session is told by its company and the hash of its id. */
export type SessionKey = { companyId: number; idHash: Buffer }

/** Who is signed in, as it is this moment. */
export type SessionRow = {
  account_id: number
  account_name: string
  email: string
  permissions: string[]
  company_name: string
  currency: string
  plan: SubscriptionPlan
  add_ons: string[]
  /** Not noted as seen for a while. */
  stale: boolean
  /** It may still be shown by a cookie without the prefix __Host-. */
  plain_name: boolean
}

/** Where a session began. */
export type SessionOrigin = {
  /** What the browser says of itself. */
  device: string | null
  /** The TCP peer, and what a trusted proxy said of it. */
  peer: string | null
  forwardedFor: string | null
  /** Its cookie has no prefix, because there is no TLS. */
  plainName: boolean
}

export const sessionIdleHours = 12
export const sessionDays = 30
/** How far `last_seen_at` may lag behind, so that not every request writes. */
const seenLagSeconds = 60

/** The session itself, held as `lock` says. */
const bySession = ({ companyId, idHash }: SessionKey, lock = ''): Sql => sql`(
    select ctid, * from sessions where company_id = ${companyId} and ${equalsIndexed(sql`id_hash`, idHash)}
    ${inOrderOf(sql`id_hash`)} ${raw(lock)}
  )`

/** The condition that names it, held, for a statement that changes it. */
const placeOf = (key: SessionKey, lock = 'for update'): Sql =>
  eitherSql(
    sql`ctid = any (array(select s.ctid from ${bySession(key, lock)} s))`,
    () => sql`company_id = ${key.companyId} and id_hash = ${key.idHash}`,
  )

/** The sessions of an account. */
const ofAccount = (companyId: number, accountId: number, lock = ''): Sql => sql`(
      select ctid, * from sessions where company_id = ${companyId} and ${equalsIndexed(sql`account_id`, accountId)}
      ${inOrderOf(sql`account_id`)} ${raw(lock)}
    )`

const sessionRow = (key: SessionKey, lock = '') => sql`
  select s.account_id, a.name as account_name, a.email, a.permissions,
    c.name as company_name, c.currency, c.plan, c.add_ons,
    s.last_seen_at < now() - make_interval(secs => ${seenLagSeconds}) as stale,
    coalesce(s.plain_name_until > now(), false) as plain_name
  from ${bySession(key, lock)} s
  cross join lateral ${byKey('accounts', key.companyId, raw('s.account_id'), lock)} a
  cross join ${companyRow(key.companyId)} c
  where s.expires_at > now()
    and s.last_seen_at > now() - make_interval(hours => ${sessionIdleHours}) and a.disabled_at is null`

export const selectSession = (key: SessionKey): Statement => statement(sessionRow(key), 'session')

/**
 * The session of a write, held until it ends: signing out, disabling the account or taking a permission away waits for
 * it, so that once any of these has been answered nothing of the old rights is still to come.
 */
export const holdSession = (key: SessionKey): Statement => statement(sessionRow(key, 'for share'), 'session.hold')

/** Another request may be using the session; then it is seen to be alive without us. */
export const touchSession = (key: SessionKey): Statement =>
  statement(
    sql`update sessions set last_seen_at = now() where ${placeOf(key, 'for update skip locked')}`,
    'session.touch',
    async (run) => {
      const held = await run(
        statement(sql`select from ${bySession(key, 'for update skip locked')} s`, 'session.hold-to-touch'),
      )
      return held.length === 0 ? [] : run(touchHeld(key))
    },
  )

const touchHeld = (key: SessionKey): Statement =>
  statement(
    sql`update sessions set last_seen_at = now() where company_id = ${key.companyId} and id_hash = ${key.idHash}`,
    'session.touch-held',
  )

/**
 * The session of an account that is not disabled; where a hash is given, only while its password is that. A change of
 * the password is waited for.
 */
export const insertSession = (
  { companyId, idHash }: SessionKey,
  accountId: number,
  { device, peer, forwardedFor, plainName }: SessionOrigin,
  passwordHash: string | null,
): Statement =>
  statement(
    sql`insert into sessions (company_id, id_hash, account_id, expires_at, device, peer, forwarded_for, plain_name_until)
    select company_id, ${idHash}::bytea, id, now() + make_interval(days => ${sessionDays}), ${device}::text, ${peer}::text,
      ${forwardedFor}::text, case when ${plainName}::boolean then 'infinity'::timestamptz end
    from ${byKey('accounts', companyId, accountId, 'for share')} a
    where disabled_at is null and password_hash = coalesce(${passwordHash}, password_hash)
    returning id`,
    'session.insert',
    async (run) => {
      const held = await run(
        statement(
          sql`select from ${byKey('accounts', companyId, accountId, 'for share')} a
          where disabled_at is null and password_hash = coalesce(${passwordHash}, password_hash)`,
          'session.account',
        ),
      )
      if (held.length === 0) return []
      return run(
        statement(
          sql`insert into sessions (company_id, id_hash, account_id, expires_at, device, peer, forwarded_for, plain_name_until)
          values (${companyId}, ${idHash}::bytea, ${accountId}, now() + make_interval(days => ${sessionDays}), ${device}::text,
            ${peer}::text, ${forwardedFor}::text, ${plainName ? 'infinity' : null}::timestamptz)
          returning id`,
          'session.insert-held',
        ),
      )
    },
  )

/** From now on its cookie has the prefix; requests that are under way have a minute. */
export const endPlainName = (key: SessionKey): Statement =>
  statement(
    sql`update sessions set plain_name_until = least(plain_name_until, now() + interval '1 minute')
    where ${placeOf(key)}`,
    'session.end-plain-name',
  )

export type ListedSession = {
  id: number
  device: string | null
  peer: string | null
  forwarded_for: string | null
  created_at: string
  last_seen_at: string
  is_this: boolean
}

/** The sessions of an account that are not over, the last used first. */
export const sessionsOf = ({ companyId, idHash }: SessionKey, accountId: number): Statement =>
  statement(
    sql`select id, device, peer, forwarded_for, ${instant('created_at')} as created_at,
      ${instant('last_seen_at')} as last_seen_at, id_hash = ${idHash} as is_this
    from ${ofAccount(companyId, accountId)} s
    where expires_at > now() and last_seen_at > now() - make_interval(hours => ${sessionIdleHours})
    order by s.last_seen_at desc, id desc`,
    'session.list',
  )

/** One of an account's sessions; its hash back. */
export const deleteSessionById = (companyId: number, accountId: number, id: number): Statement =>
  statement(
    sql`delete from sessions where ${eitherSql(
      sql`ctid = any (array(
      select s.ctid from ${ofAccount(companyId, accountId, 'for update')} s where id = ${id}
    ))`,
      () => sql`company_id = ${companyId} and account_id = ${accountId} and id = ${id}`,
    )} returning id_hash`,
    'session.delete-one',
  )

export const deleteSession = (key: SessionKey): Statement =>
  statement(sql`delete from sessions where ${placeOf(key)} returning id, account_id`, 'session.delete')

/** The sessions of an account, but for one where that is given. */
export const deleteSessionsOf = (companyId: number, accountId: number, but: Buffer | null): Statement =>
  statement(
    sql`delete from sessions where ${eitherSql(
      sql`ctid = any (array(
      select s.ctid from ${ofAccount(companyId, accountId, 'for update')} s where id_hash is distinct from ${but}
    ))`,
      () => sql`company_id = ${companyId} and account_id = ${accountId} and id_hash is distinct from ${but}`,
    )} returning id`,
    'session.delete-all',
  )

/** Removes up to `most` sessions that are over, a row for each. */
export const sweepSessions = (most: number): Statement =>
  sweepStatement({
    name: 'sessions.sweep',
    ...{ table: 'sessions', key: 'id', type: 'bigint', most },
    where: sql`where expires_at < now()`,
  })
