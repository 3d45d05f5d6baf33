import pg from 'pg'
import type { Connection } from '../postgres.ts'

/** What PostgreSQL has counted in one database since it was made. */
export type Counts = {
  /** Entries that were read in indexes. */
  entries: number
  /** Rows that were read in tables, by index or one after the other. */
  rows: number
}

/** When PostgreSQL itself first, and last, looked at what is in the table of projects. */
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
 * A process of PostgreSQL adds what it counted to what all can see when a transaction ends, at most once a second, and
 * when it has been idle for ten. (pg_stat_force_next_flush() is about the session that calls it.) So after this long a
 * call over every connection makes those that made the calls before add what they have.
 */
export const flushMilliseconds = 1100
