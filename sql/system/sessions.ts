import { raw, type Sql } from 'sql-template-tag'
import type { SubscriptionPlan } from '#registry/subscription.ts'
import { byKey, companyRow, equalsIndexed, inOrderOf } from '../access.ts'
import type { StatementInput } from '../batchable.ts'
import { eitherSql, instant, query, type Statement, sql, statement } from '../statement.ts'
import type { CallerSource } from './caller.ts'
import { sweepStatement } from './sweep.ts'

/** The key of a session of the console: its company and the hash of its id. */
export type SessionKey = { companyId: number; idHash: Buffer }

/** The signed-in account and its current rights. */
export type SessionRow = {
  account_id: number
  account_name: string
  email: string
  permissions: string[]
  company_name: string
  currency: string
  time_zone: string
  /** The country of its address. */
  country: string | null
  payment_terms_days: number | null
  valid_days: number | null
  tax_pct: number | null
  /** The secret of the company that goes into ETags. */
  tag_key: string
  plan: SubscriptionPlan
  add_ons: string[]
  /** Whether its `last_seen_at` is out of date. */
  stale: boolean
  /** Whether a cookie without the prefix __Host- is still accepted. */
  plain_name: boolean
}

export type SessionOrigin = {
  /** The name that the browser gives for itself. */
  device: string | null
  /** The TCP peer, and the address that a trusted proxy forwarded. */
  peer: string | null
  forwardedFor: string | null
  /** Whether its cookie has no prefix, because there is no TLS. */
  plainName: boolean
}

export const sessionIdleHours = 12
export const sessionDays = 30
/** Seconds that `last_seen_at` may lag behind, so that not every request writes. */
const seenLagSeconds = 60

/** Selects the session itself, locked by `lock`. */
const bySession = ({ companyId, idHash }: StatementInput<SessionKey>, lock = ''): Sql => sql`(
    select ctid, * from sessions where company_id = ${companyId} and ${equalsIndexed(sql`id_hash`, idHash)}
    ${inOrderOf(sql`id_hash`)} ${raw(lock)}
  )`

/** Returns the condition that names it, locked, for a statement that changes it. */
const placeOf = (key: SessionKey, lock = 'for update'): Sql =>
  eitherSql(
    sql`ctid = any (array(select s.ctid from ${bySession(key, lock)} s))`,
    () => sql`company_id = ${key.companyId} and id_hash = ${key.idHash}`,
  )

const ofAccount = (companyId: number, accountId: number, lock = ''): Sql => sql`(
      select ctid, * from sessions where company_id = ${companyId} and ${equalsIndexed(sql`account_id`, accountId)}
      ${inOrderOf(sql`account_id`)} ${raw(lock)}
    )`

const sessionRow = (key: StatementInput<SessionKey>, lock = '') => sql`
  select s.account_id, a.name as account_name, a.email, a.permissions,
    c.name as company_name, c.currency, c.tag_key, c.plan, c.add_ons,
    c.time_zone, c.address ->> 'country' as country, c.payment_terms_days, c.valid_days, c.tax_pct::float8,
    s.last_seen_at < now() - make_interval(secs => ${raw(`${seenLagSeconds}`)}) as stale,
    coalesce(s.plain_name_until > now(), false) as plain_name
  from ${bySession(key, lock)} s
  cross join lateral ${byKey('accounts', key.companyId, raw('s.account_id'), lock)} a
  cross join ${companyRow(key.companyId)} c
  where s.expires_at > now()
    and s.last_seen_at > now() - make_interval(hours => ${raw(`${sessionIdleHours}`)}) and a.disabled_at is null`

export const selectSession = (key: SessionKey): Statement => statement(sessionRow(key), 'session')

/**
 * Returns the caller with a session, which is locked until the commit. A sign-out, a disabled account or a removed
 * permission waits for it: once that is answered, no write with the old rights is still running.
 */
export const sessionSource = (key: SessionKey): CallerSource<SessionKey> => ({
  name: 'session.',
  values: key,
  query: sessionRow,
  passes: raw('true'),
  live: (given) => sql`(select from ${bySession(given)} s where expires_at > now() offset 0)`,
})

/** Updates `last_seen_at`. Skips a session that another request has locked, which updates it. */
export const touchSession = (key: SessionKey): Statement =>
  statement(
    sql`update sessions set last_seen_at = now() where ${placeOf(key, 'for update skip locked')}`,
    'session.touch',
    async (run) => {
      const held = await run(query('session.hold-to-touch')`select from ${bySession(key, 'for update skip locked')} s`)
      const touched = sql`company_id = ${key.companyId} and id_hash = ${key.idHash}`
      return held.length === 0
        ? []
        : run(query('session.touch-held')`update sessions set last_seen_at = now() where ${touched}`)
    },
  )

/** Locks an account for a session if it is enabled and has the given hash. A change of the password is waited for. */
export const holdAccount = (companyId: number, accountId: number, passwordHash: string | null): Statement =>
  query('session.account')`select from ${byKey('accounts', companyId, accountId, 'for share')} a
    where disabled_at is null and password_hash = coalesce(${passwordHash}, password_hash)`

/** Inserts a session of an account that this transaction has locked. */
export const insertSession = (
  { companyId, idHash }: SessionKey,
  accountId: number,
  { device, peer, forwardedFor, plainName }: SessionOrigin,
): Statement =>
  query('session.insert')`
    insert into sessions (company_id, id_hash, account_id, expires_at, device, peer, forwarded_for, plain_name_until)
    values (${companyId}, ${idHash}, ${accountId}, now() + make_interval(days => ${sessionDays}), ${device}, ${peer},
      ${forwardedFor}, ${plainName ? 'infinity' : null}::timestamptz)
    returning id`

/** Requires the prefix of its cookie from now on. Running requests have one more minute. */
export const endPlainName = (key: SessionKey): Statement =>
  query('session.end-plain-name')`
    update sessions set plain_name_until = least(plain_name_until, now() + interval '1 minute')
    where ${placeOf(key)}`

export type ListedSession = {
  id: number
  device: string | null
  peer: string | null
  forwarded_for: string | null
  created_at: string
  last_seen_at: string
  is_this: boolean
}

/** Reads the sessions of an account that are not over, the last used first. */
export const sessionsOf = ({ companyId, idHash }: SessionKey, accountId: number): Statement =>
  query('session.list')`select id, device, peer, forwarded_for, ${instant('created_at')} as created_at,
      ${instant('last_seen_at')} as last_seen_at, id_hash = ${idHash} as is_this
    from ${ofAccount(companyId, accountId)} s
    where expires_at > now() and last_seen_at > now() - make_interval(hours => ${sessionIdleHours})
    order by s.last_seen_at desc, id desc`

/** Returns the condition that names some sessions of an account, locked, for a statement that deletes them. */
const placesOfAccount = (companyId: number, accountId: number, which: Sql): Sql =>
  eitherSql(
    sql`ctid = any (array(
      select s.ctid from ${ofAccount(companyId, accountId, 'for update')} s where ${which}
    ))`,
    () => sql`company_id = ${companyId} and account_id = ${accountId} and ${which}`,
  )

/** Deletes one of an account's sessions. Returns its hash. */
export const deleteSessionById = (companyId: number, accountId: number, id: number): Statement =>
  query('session.delete-one')`
    delete from sessions where ${placesOfAccount(companyId, accountId, sql`id = ${id}`)} returning id_hash`

export const deleteSession = (key: SessionKey): Statement =>
  query('session.delete')`delete from sessions where ${placeOf(key)} returning id, account_id`

/** Deletes the sessions of an account, except one if its hash is given. */
export const deleteSessionsOf = (companyId: number, accountId: number, but: Buffer | null): Statement =>
  query('session.delete-all')`
    delete from sessions where ${placesOfAccount(companyId, accountId, sql`id_hash is distinct from ${but}`)} returning id`

/** Removes up to `most` sessions that are over. Returns a row for each. */
export const sweepSessions = (most: number): Statement =>
  sweepStatement({
    name: 'sessions.sweep',
    ...{ table: 'sessions', key: 'id', type: 'bigint', most },
    where: sql`where expires_at < now()`,
  })
