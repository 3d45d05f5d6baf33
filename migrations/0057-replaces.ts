import type { MigrationBuilder } from 'node-pg-migrate'
import { createIndexConcurrently } from '#server/store/concurrent-index.ts'

// An invoice names the one in whose place it was made. Its key is checked for rows that are written from now on; the next
// migration checks those that are there, without stopping writes. Each statement is a step of its own.

export async function up(pgm: MigrationBuilder): Promise<void> {
  await pgm.db.query('alter table invoices add column if not exists replaces_id bigint')
  const [made] = await pgm.db.select(`select from pg_constraint where conname = 'invoices_replaces_id_fkey'`)
  if (!made)
    await pgm.db.query(`alter table invoices add constraint invoices_replaces_id_fkey
      foreign key (company_id, replaces_id) references invoices (company_id, id) not valid`)
  await createIndexConcurrently(pgm, {
    name: 'invoices_replaces_id',
    on: 'invoices (company_id, replaces_id, id) where deleted_at is null and replaces_id is not null',
  })
}

export async function down(pgm: MigrationBuilder): Promise<void> {
  await pgm.db.query('alter table invoices drop column if exists replaces_id')
}
