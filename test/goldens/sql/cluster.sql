-- (unnamed)
select a.*,
    (select system_identifier::text from pg_control_system()) as system_id,
    current_setting('wal_level') as wal_level,
    exists (select from pg_extension where extname = 'citus') as distributed,
    case when s.last_archived_wal ~ '^[0-9A-F]{24}' then greatest(0, pg_current_wal_lsn()
      - (substr(s.last_archived_wal, 9, 8) || '/' || substr(s.last_archived_wal, 23, 2) || '000000')::pg_lsn
      - pg_size_bytes(current_setting('wal_segment_size'))) end as behind
  from pg_stat_archiver s, (select
      current_setting('archive_mode') <> 'off' and (
        current_setting('archive_command') <> '' or coalesce(current_setting('archive_library', true), '') <> ''
      ) as archives,
      last_archived_time as archived_at,
      case when last_failed_time > coalesce(last_archived_time, '-infinity') then last_failed_wal end as failed_segment,
      case when last_failed_time > coalesce(last_archived_time, '-infinity') then last_failed_time end as failed_at
    from pg_stat_archiver) a
-- []
