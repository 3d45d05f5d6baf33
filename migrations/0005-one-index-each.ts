import type { MigrationBuilder } from 'node-pg-migrate'
import { createIndexConcurrently, dropIndexConcurrently, replaceIndex } from '#server/store/concurrent-index.ts'

// Each statement names the one index that serves it, so that its plan is right before the first statistics. Where two
// indexes could serve one, there is now one, or they are told apart.

const searched = [
  'projects',
  'workers',
  'clients',
  'estimates',
  'subcontractors',
  'equipment',
  'trades',
  'categories',
  'tasks',
  'contacts',
  'invoices',
  'contracts',
]

export async function up(pgm: MigrationBuilder): Promise<void> {
  // A search finds live records by their lack of a removal; all other indexes of live records by their lack of a time.
  await replaceSearchIndexes(pgm, '(removal_id IS NULL)')
  // The changes of a total are found by their key.
  await dropIndexConcurrently(pgm, 'tally_changes_records')
  await replaceKeyOfChanges(pgm, '(company_id, records, id) INCLUDE (change)')
  // Deletions are listed in the order of their key.
  await dropIndexConcurrently(pgm, 'removals_at')
}

export async function down(pgm: MigrationBuilder): Promise<void> {
  await createIndexConcurrently(pgm, { name: 'removals_at', on: 'removals (company_id, at)' })
  await replaceKeyOfChanges(pgm, '(company_id, id)')
  await createIndexConcurrently(pgm, {
    name: 'tally_changes_records',
    on: 'tally_changes (company_id, records) include (change)',
  })
  await replaceSearchIndexes(pgm, '(deleted_at IS NULL)')
}

async function replaceSearchIndexes(pgm: MigrationBuilder, predicate: string): Promise<void> {
  for (const table of searched) {
    const name = `${table}_search`
    const on = `${table} using gin (search_keys(company_id, search)) with (fastupdate = off)`
    await replaceIndex(pgm, { name, on, predicate })
    await pgm.db.query(`alter index ${name} alter column 1 set statistics 0`)
  }
}

/** `key` is spelled as `pg_get_constraintdef` returns it. */
async function replaceKeyOfChanges(pgm: MigrationBuilder, key: string): Promise<void> {
  const replaced = await pgm.db.select(
    `select from pg_constraint where conname = 'tally_changes_pkey' and pg_get_constraintdef(oid) = 'PRIMARY KEY ${key}'`,
  )
  if (replaced.length > 0) return
  await pgm.db.query(
    `alter table tally_changes drop constraint tally_changes_pkey, add constraint tally_changes_pkey primary key ${key}`,
  )
}
