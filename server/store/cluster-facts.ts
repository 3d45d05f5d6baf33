import type { Connection } from './database.ts'
import { withClient } from './migrate.ts'

/** What a PostgreSQL server says of itself where backups are concerned. */
export type ClusterFacts = {
  /** Drawn when the cluster was made; copies keep it. */
  systemId: string
  walLevel: string
  archives: boolean
  archivedAt: Date | null
  /** The last segment that could not be archived, if none could since; and since when. */
  failing: { segment: string; at: Date } | null
  /** Of changes that are not archived yet; null where what was archived last is no part of the log. */
  behindBytes: number | null
}

export const clusterFacts = (connection: Connection): Promise<ClusterFacts> =>
  withClient(connection, async (client) => {
    const { rows } = await client.query<Row>(question)
    const row = rows[0] as Row
    const isFailing = row.failed_at !== null && (row.archived_at === null || row.failed_at > row.archived_at)
    return {
      systemId: row.system_id,
      walLevel: row.wal_level,
      archives: row.archive_mode !== 'off',
      archivedAt: row.archived_at,
      failing: isFailing ? { segment: row.failed_wal ?? '', at: row.failed_at as Date } : null,
      behindBytes: row.behind === null ? null : Number(row.behind),
    }
  })

type Row = {
  system_id: string
  wal_level: string
  archive_mode: string
  archived_at: Date | null
  failed_at: Date | null
  failed_wal: string | null
  behind: string | null
}

// The name of a segment says where it begins: its number, in two halves of eight digits.
const question = `select
    (select system_identifier::text from pg_control_system()) as system_id,
    current_setting('wal_level') as wal_level,
    current_setting('archive_mode') as archive_mode,
    last_archived_time as archived_at, last_failed_time as failed_at, last_failed_wal as failed_wal,
    case when last_archived_wal ~ '^[0-9A-F]{24}' then greatest(0, pg_current_wal_lsn()
      - (substr(last_archived_wal, 9, 8) || '/' || substr(last_archived_wal, 23, 2) || '000000')::pg_lsn
      - pg_size_bytes(current_setting('wal_segment_size'))) end as behind
  from pg_stat_archiver`
