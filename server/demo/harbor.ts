import { fieldPermissions, permission } from '#registry/permissions.ts'
import { addOns } from '#registry/subscription.ts'
import type { CompanyRow } from '#sql/system/companies.ts'
import type { App } from '../app.ts'
import { setAccount } from '../service/account.ts'
import type { Transaction } from '../store/database.ts'
import { bookkeeper, createDemoAccount, createDemoCompany, demoOwners, foreman } from './accounts.ts'
import { createRecords } from './harbor/records.ts'
import { calendarFrom, createSeeder } from './seeder.ts'

/** Harbor Masonry: a mason’s firm in the middle of its work, with everything switched on. */
export async function createHarbor(transaction: Transaction, app: App): Promise<CompanyRow> {
  const facts = { name: 'Harbor Masonry', plan: 'PRO', addOns }
  const company = await createDemoCompany(transaction, app, facts, demoOwners[0])
  await createStaff(transaction, app, company.id)
  await createRecords(createSeeder(transaction, company.id), calendarFrom(app.clock.now()))
  return company
}

async function createStaff(transaction: Transaction, app: App, companyId: number): Promise<void> {
  const documents = ofRecords('clients', 'contacts', 'estimates', 'invoices')
  await createDemoAccount(transaction, app, companyId, {
    ...bookkeeper,
    permissions: [...documents, ...fieldPermissions],
  })

  // Femi could change projects once, and has lost the right to. Alone of all he sees neither pay nor amounts nor tax numbers,
  // and others approve the hours that he enters.
  const held = ofRecords('projects', 'workers', 'equipment', 'tasks', 'time_entries', 'equipment_logs')
  const femi = await createDemoAccount(transaction, app, companyId, { ...foreman, permissions: held })
  const left = held.filter((code) => code !== permission('projects', 'EDIT'))
  await setAccount(transaction, companyId, femi.id, { permissions: left })
}

const ofRecords = (...records: string[]): string[] =>
  records.flatMap((name) => [permission(name, 'VIEW'), permission(name, 'EDIT'), permission(name, 'DELETE')])
