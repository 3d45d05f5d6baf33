import type { MigrationBuilder } from 'node-pg-migrate'

// A percentage has up to four decimals (8.875, 9.975), and a telephone number up to 40 characters, for an extension. The
// columns of decimals get no precision, which rewrites no table. Each statement is a step of its own.

const decimals = {
  subcontractors: { retention_pct: 'numeric(5,2)' },
  estimates: { discount_pct: 'numeric(5,2)', tax_pct: 'numeric(5,2)' },
  invoices: { discount_pct: 'numeric(5,2)', tax_pct: 'numeric(5,2)' },
  equipment: { meter_hours: 'numeric(10,2)' },
  time_entries: { hours: 'numeric(4,2)' },
  equipment_logs: { hours: 'numeric(4,2)' },
}

const withPhone = ['workers', 'clients', 'subcontractors', 'contacts']

export async function up(pgm: MigrationBuilder): Promise<void> {
  for (const [table, columns] of Object.entries(decimals)) await setTypes(pgm, table, columns, () => 'numeric')
  for (const table of withPhone) await setPhoneLength(pgm, table, 40)
}

export async function down(pgm: MigrationBuilder): Promise<void> {
  for (const table of withPhone) {
    await pgm.db.query(`update ${table} set phone = left(phone, 20) where char_length(phone) > 20`)
    await setPhoneLength(pgm, table, 20)
  }
  for (const [table, columns] of Object.entries(decimals)) await setTypes(pgm, table, columns, (type) => type)
}

const setTypes = (
  pgm: MigrationBuilder,
  table: string,
  columns: { readonly [column: string]: string },
  typeOf: (type: string) => string,
) =>
  pgm.db.query(
    `alter table ${table} ${Object.entries(columns)
      .map(([column, type]) => `alter column ${column} type ${typeOf(type)}`)
      .join(', ')}`,
  )

const setPhoneLength = (pgm: MigrationBuilder, table: string, length: number) =>
  pgm.db.query(
    `alter table ${table} drop constraint ${table}_phone_check,
      add constraint ${table}_phone_check check (char_length(phone) between 5 and ${length})`,
  )
