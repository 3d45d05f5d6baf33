import type { MigrationBuilder } from 'node-pg-migrate'
import { createIndexConcurrently, dropIndexConcurrently } from '#server/store/concurrent-index.ts'

// Finds what changed since a moment, instead of an index of the time of change in each table of records.

export const up = (pgm: MigrationBuilder): Promise<void> =>
  createIndexConcurrently(pgm, {
    name: 'history_times',
    on: 'history (company_id, records, at) include (record_id)',
  })

export const down = (pgm: MigrationBuilder): Promise<void> => dropIndexConcurrently(pgm, 'history_times')
