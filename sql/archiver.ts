import { sql } from './statement.ts'

/** Whether a server archives its log, as one row. */
export type ArchiverRow = {
  archives: boolean
  archived_at: string | Date | null
  /** The last segment that could not be archived, and when; null once a later one could. */
  failed_segment: string | null
  failed_at: string | Date | null
}

/** `archive_mode` alone archives nothing: without a command or a library PostgreSQL keeps the segments and waits. */
export const archiver = sql`select
      current_setting('archive_mode') <> 'off' and (
        current_setting('archive_command') <> '' or coalesce(current_setting('archive_library', true), '') <> ''
      ) as archives,
      last_archived_time as archived_at,
      case when last_failed_time > coalesce(last_archived_time, '-infinity') then last_failed_wal end as failed_segment,
      case when last_failed_time > coalesce(last_archived_time, '-infinity') then last_failed_time end as failed_at
    from pg_stat_archiver`
