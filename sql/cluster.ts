import { type Statement, sql, statement } from './statement.ts'

/** Whether a server archives its log, as one row. */
export type ArchiverRow = {
  archives: boolean
  archived_at: string | Date | null
  /** The last segment that could not be archived, and when; null once a later one could. */
  failed_segment: string | null
  failed_at: string | Date | null
}

/** `archive_mode` alone archives nothing: without a command or a library, PostgreSQL keeps the segments and waits. */
export const archiver = sql`select
      current_setting('archive_mode') <> 'off' and (
        current_setting('archive_command') <> '' or coalesce(current_setting('archive_library', true), '') <> ''
      ) as archives,
      last_archived_time as archived_at,
      case when last_failed_time > coalesce(last_archived_time, '-infinity') then last_failed_wal end as failed_segment,
      case when last_failed_time > coalesce(last_archived_time, '-infinity') then last_failed_time end as failed_at
    from pg_stat_archiver`

/** The properties of a PostgreSQL server that matter to backups. */
export type ClusterRow = ArchiverRow & {
  system_id: string
  wal_level: string
  distributed: boolean
  /** Bytes of the log, as text. */
  behind: string | null
}

/** Reads the properties. The name of a segment has its position: its number, in two halves of eight digits. */
export const clusterRow = (): Statement =>
  statement(sql`select a.*,
    (select system_identifier::text from pg_control_system()) as system_id,
    current_setting('wal_level') as wal_level,
    exists (select from pg_extension where extname = 'citus') as distributed,
    case when s.last_archived_wal ~ '^[0-9A-F]{24}' then greatest(0, pg_current_wal_lsn()
      - (substr(s.last_archived_wal, 9, 8) || '/' || substr(s.last_archived_wal, 23, 2) || '000000')::pg_lsn
      - pg_size_bytes(current_setting('wal_segment_size'))) end as behind
  from pg_stat_archiver s, (${archiver}) a`)
