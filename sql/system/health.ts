import { type Statement, sql, statement } from '../statement.ts'

/** What a database says of itself. */
export type ServerFacts = {
  version: string
  version_number: number
  encoding: string
  fsync: string
  full_page_writes: string
  synchronous_commit: string
  connections_max: number
  read_only: boolean
  /** Milliseconds since 1970, by its own clock. */
  now: number
  extensions: string[]
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
    current_setting('max_connections')::int as connections_max,
    pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as read_only,
    (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
    array(select name::text from pg_available_extensions where name = any (${extensionsNeeded})) as extensions`)

/** Any active token, to see whether the key at hand opens it. */
export const newestSealed = (): Statement =>
  statement(sql`select company_id, id, sealed from tokens where revoked_at is null order by created_at desc limit 1`)
