import { type ArchiverRow, archiver } from '../archiver.ts'
import { type Statement, sql, statement } from '../statement.ts'

/** A PostgreSQL server, as far as backups need to know it. */
export type ClusterRow = ArchiverRow & {
  system_id: string
  wal_level: string
  distributed: boolean
  /** Bytes of the log, as text. */
  behind: string | null
}

/** The name of a segment says where it begins: its number, in two halves of eight digits. */
export const clusterRow = (): Statement =>
  statement(sql`select a.*,
    (select system_identifier::text from pg_control_system()) as system_id,
    current_setting('wal_level') as wal_level,
    exists (select from pg_extension where extname = 'citus') as distributed,
    case when s.last_archived_wal ~ '^[0-9A-F]{24}' then greatest(0, pg_current_wal_lsn()
      - (substr(s.last_archived_wal, 9, 8) || '/' || substr(s.last_archived_wal, 23, 2) || '000000')::pg_lsn
      - pg_size_bytes(current_setting('wal_segment_size'))) end as behind
  from pg_stat_archiver s, (${archiver}) a`)
