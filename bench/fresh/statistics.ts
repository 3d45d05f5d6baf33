import pg from 'pg'
import type { Connection } from '../postgres.ts'

/** The counts of PostgreSQL in one database since its creation. */
export type Counts = {
  /** Entries read in indexes. */
  entries: number
  /** Rows read in tables, by an index or a sequential scan. */
  rows: number
}

/** The number and the last time of automatic analyzes of the table of projects. */
export type AnalysisCount = { count: number; last: Date | null }

export type Statistics = {
  counts(): Promise<Counts>
  analysed(): Promise<AnalysisCount>
  close(): Promise<void>
}

export async function openStatistics(connection: Connection): Promise<Statistics> {
  const client = new pg.Client({ ...connection, application_name: 'bench statistics' })
  client.on('error', () => {})
  await client.connect()
  return {
    async counts() {
      // numeric: a sum of bigint is one, and stays below what a number carries exactly.
      const { rows } = await client.query<Counts>(`select
        (select coalesce(sum(idx_tup_read), 0)::float8 from pg_stat_user_indexes) as entries,
        (select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::float8 from pg_stat_user_tables) as rows`)
      return rows[0] as Counts
    },
    async analysed() {
      const { rows } = await client.query<AnalysisCount>(
        `select autoanalyze_count::int as count, last_autoanalyze as last from pg_stat_user_tables where relname = 'projects'`,
      )
      return rows[0] as AnalysisCount
    },
    close: () => client.end(),
  }
}

/**
 * Time after which a further call over every connection makes earlier counts visible. A process of PostgreSQL publishes
 * its counts when a transaction ends, at most once a second, and after ten idle seconds. pg_stat_force_next_flush()
 * only affects the calling session.
 */
export const flushMilliseconds = 1100
