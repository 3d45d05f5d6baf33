import type { MigrationBuilder } from 'node-pg-migrate'

// What approved hours and days of use cost. Each statement is a step of its own.

const tables = ['time_entries', 'equipment_logs']

export async function up(pgm: MigrationBuilder): Promise<void> {
  for (const table of tables)
    await pgm.db.query(
      `alter table ${table}
        add column if not exists cost_minor bigint check (cost_minor between 0 and 9000000000000000)`,
    )
}

export async function down(pgm: MigrationBuilder): Promise<void> {
  for (const table of tables) await pgm.db.query(`alter table ${table} drop column if exists cost_minor`)
}
