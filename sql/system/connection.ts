import { raw } from 'sql-template-tag'
import { query, type Statement, sql, statement } from '../statement.ts'

/** Statements about a connection, without any table. */

export const ping = statement(sql`select 1`)

export const setInSession = (name: string, value: string) => statement(sql`select set_config(${name}, ${value}, false)`)

export const begin = query('begin')`begin isolation level read committed`
export const commit = query('commit')`commit`
export const rollback = query('rollback')`rollback`
export const rollbackAndChain = query('rollback and chain')`rollback and chain`

/** A session of PostgreSQL. Its start is text: a `Date` loses the microseconds, and another session may get the same pid. */
export type BackendRow = { pid: number; backend_start: string }

/** `is_marked`: the session has the settings of its start-up options. */
export type BackendFacts = BackendRow & { is_marked: boolean }

/**
 * Returns the session of this connection. A time-out limits the transactions of the session if the server can (from
 * PostgreSQL 17 on). An older server refuses a connection whose options name `transaction_timeout`.
 */
export const selectBackend = (transactionTimeoutMs: number | null = null): Statement =>
  statement(sql`select pg_backend_pid() as pid,
    (select backend_start::text from pg_stat_get_activity(pg_backend_pid())) as backend_start,
    coalesce(current_setting('plumbline.session', true), '') = 'on' as is_marked,
    case when ${transactionTimeoutMs}::int is not null and current_setting('server_version_num')::int >= 170000
      then set_config('transaction_timeout', ${transactionTimeoutMs}::int::text, false) end as bound`)

/** Lifts that limit for a transaction that must be long. It has to be its first statement. */
export const liftTransactionTimeout = (): Statement =>
  statement(sql`select case when current_setting('server_version_num')::int >= 170000
    then set_config('transaction_timeout', '0', true) end`)

/**
 * Ends the given sessions of this role. Returns those that still existed. One that waits for a synchronous standby is
 * left alone: if it were ended, its commit would be visible without being safe.
 */
export const endBackends = (backends: readonly BackendRow[]): Statement =>
  statement(sql`select pid, backend_start::text, case when coalesce(wait_event, '') <> 'SyncRep'
      then pg_terminate_backend(pid) end is null as waits_for_standby
    from pg_stat_activity a
    join unnest(${backends.map(({ pid }) => pid)}::int[], ${backends.map(({ backend_start }) => backend_start)}::timestamptz[])
      given (pid, backend_start) using (pid, backend_start)
    where usename = current_user`)

export type EndedBackendRow = BackendRow & { waits_for_standby: boolean }

export const briefWaitMs = 250

/** Limits waits for locks in the rest of the transaction, on all servers: `set_config` would reach one. */
export const waitBriefly = statement(raw(`set local lock_timeout = ${briefWaitMs}`), 'wait-briefly')
