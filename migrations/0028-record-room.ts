import type { MigrationBuilder } from 'node-pg-migrate'
import {
  createIndexConcurrently,
  dropIndexConcurrently,
  replaceIndex,
  resetFillFactor,
  setFillFactor,
} from '#server/store/concurrent-index.ts'

// An update of a field without an index writes no index: the time of change has none any more, pages keep room for the
// next version of a record, and records without a reference or a unique value are not in its index.

type Table = { hasTimeIndex?: true; references?: readonly string[]; uniqueFields?: readonly string[] }

const tables: { readonly [name: string]: Table } = {
  projects: {
    hasTimeIndex: true,
    references: ['client_id', 'category_id', 'manager_id'],
    uniqueFields: ['code', 'external_ref'],
  },
  workers: {
    hasTimeIndex: true,
    references: ['trade_id', 'supervisor_id'],
    uniqueFields: ['employee_no', 'email', 'external_ref'],
  },
  clients: { hasTimeIndex: true, references: ['category_id'], uniqueFields: ['tax_id', 'external_ref'] },
  estimates: { hasTimeIndex: true, references: ['client_id', 'project_id'], uniqueFields: ['external_ref'] },
  subcontractors: { hasTimeIndex: true, references: ['trade_id'], uniqueFields: ['tax_id', 'external_ref'] },
  equipment: {
    hasTimeIndex: true,
    references: ['category_id', 'supplier_id', 'project_id', 'worker_id'],
    uniqueFields: ['code', 'serial_number', 'external_ref'],
  },
  trades: {},
  categories: {},
  tasks: {},
  contacts: {},
  time_entries: {},
  invoices: { references: ['project_id', 'estimate_id'] },
  contracts: { references: ['project_id'] },
  equipment_logs: { references: ['project_id'] },
}

const fillFactor = 85

export async function up(pgm: MigrationBuilder): Promise<void> {
  for (const [table, { hasTimeIndex }] of Object.entries(tables)) {
    await setFillFactor(pgm, table, fillFactor)
    if (hasTimeIndex) await dropIndexConcurrently(pgm, `${table}_updated`)
  }
  await replaceIndexes(pgm, (column) => `((deleted_at IS NULL) AND (${column} IS NOT NULL))`)
}

export async function down(pgm: MigrationBuilder): Promise<void> {
  await replaceIndexes(pgm, () => '(deleted_at IS NULL)')
  for (const [table, { hasTimeIndex }] of Object.entries(tables)) {
    if (hasTimeIndex)
      await createIndexConcurrently(pgm, {
        name: `${table}_updated`,
        on: `${table} (company_id, updated_at, id) where deleted_at is null`,
      })
    await resetFillFactor(pgm, table)
  }
}

async function replaceIndexes(pgm: MigrationBuilder, predicateOf: (column: string) => string): Promise<void> {
  for (const [table, { references = [], uniqueFields = [] }] of Object.entries(tables)) {
    for (const column of references)
      await replaceIndex(pgm, {
        name: `${table}_${column}`,
        on: `${table} (company_id, ${column}, id)`,
        predicate: predicateOf(column),
      })
    for (const column of uniqueFields)
      await replaceIndex(pgm, {
        name: `${table}_${column}_live`,
        unique: true,
        on: `${table} (company_id, lower(${column}))`,
        predicate: predicateOf(column),
      })
  }
}
