import { sql, statement } from '../statement.ts'

/** Statements about migrations, and about sessions that block them. */

export const migrationsTable = statement(sql`select to_regclass('migrations')::text as name`)
export const appliedMigrations = statement(sql`select name from migrations order by id`)

/** A session of the database, so that an operator can find it. */
export type Holder = { pid: number; program: string; user: string | null; seconds: number }

const holder = sql`a.pid, coalesce(nullif(a.application_name, ''), a.backend_type) as program, a.usename::text as "user",
    round(extract(epoch from clock_timestamp() - coalesce(a.xact_start, a.backend_start)))::int as seconds`

/** Reads the sessions that a backend waits for. */
export const blockersOf = (pid: number) =>
  statement(sql`select ${holder} from pg_stat_activity a
    where a.pid = any (pg_blocking_pids(${pid}::int)) order by a.xact_start nulls last, a.pid`)

export const tryLock = (key: number) => statement(sql`select pg_try_advisory_lock(${key}::bigint) as is_held`)

/** Reads the session that holds an advisory lock of one 64-bit key. */
export const lockHolder = (key: number) =>
  statement(sql`select ${holder} from pg_locks l join pg_stat_activity a using (pid)
    where l.locktype = 'advisory' and l.granted and l.objsubid = 1
      and l.database = (select oid from pg_database where datname = current_database())
      and (l.classid::bigint << 32 | l.objid::bigint) = ${key}::bigint`)
