import { type Statement, sql, statement } from '../statement.ts'

export type ServerFacts = {
  version: string
  version_number: number
  encoding: string
  fsync: string
  full_page_writes: string
  synchronous_commit: string
  /** The schema in which new tables are created, and whether the role may create them. */
  schema: string | null
  may_create: boolean
  read_only: boolean
  /** Milliseconds since 1970, by the server's clock. */
  now: number
  extensions: string[]
  /** Whether pages have checksums, the number of pages with a wrong one, and the time of the last. */
  checksums: boolean
  damaged: number
  damaged_at: Date | null
}

export const extensionsNeeded = ['unaccent']

export const serverFacts = (): Statement =>
  statement(sql`select
    current_setting('server_version') as version,
    current_setting('server_version_num')::int as version_number,
    current_setting('server_encoding') as encoding,
    current_setting('fsync') as fsync,
    current_setting('full_page_writes') as full_page_writes,
    current_setting('synchronous_commit') as synchronous_commit,
    current_schema()::text as schema,
    coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create,
    pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as read_only,
    (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
    array(select name::text from pg_available_extensions where name = any (${extensionsNeeded})) as extensions,
    current_setting('data_checksums')::boolean as checksums,
    (select coalesce(sum(checksum_failures), 0) from pg_stat_database)::int as damaged,
    (select max(checksum_last_failure) from pg_stat_database) as damaged_at`)

/** Connections that the user of a session may have. -1 is no limit. */
export type ConnectionLimits = { server: number; database: number; role: number }

/** Reads the limits, without connections that the server reserves for its superuser and for roles of its own. */
export const connectionLimits = statement(sql`select
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0) as server,
    (select datconnlimit from pg_database where datname = current_database()) as database,
    (select rolconnlimit from pg_roles where rolname = current_user) as role`)

/** Reads an active token, to check whether the current key opens it. */
export const newestSealed = (): Statement =>
  statement(sql`select company_id, id, sealed from tokens where revoked_at is null order by created_at desc limit 1`)
