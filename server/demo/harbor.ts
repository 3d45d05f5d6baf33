import { addOns } from '#registry/add-ons.ts'
import { permission, permissions } from '#registry/permissions.ts'
import type { CompanyRow } from '#sql/system/companies.ts'
import type { World } from '../app.ts'
import { setAccount } from '../service/account.ts'
import { operator } from '../service/actor.ts'
import { createCompany } from '../service/company.ts'
import { issueToken } from '../service/token.ts'
import type { Transaction } from '../store/database.ts'
import { createDemoAccount, demoToken } from './accounts.ts'
import { calendarFrom } from './calendar.ts'
import { handOf } from './hand.ts'
import { makeRecords } from './harbor/records.ts'
import { bookkeeper, demoOwners, foreman } from './people.ts'

/** Harbor Masonry: a mason’s firm in the middle of its work, with everything switched on. */
export async function makeHarbor(transaction: Transaction, world: World): Promise<CompanyRow> {
  const company = await createCompany(transaction, { name: 'Harbor Masonry', plan: 'PRO', addOns, isDemo: true })
  const ada = await createDemoAccount(transaction, world, company.id, { ...demoOwners[0], permissions })
  await issueToken(transaction, operator(company.id), world.secret, demoToken(ada.id))
  await makeStaff(transaction, world, company.id)
  await makeRecords(handOf(transaction, company.id), calendarFrom(world.clock.now()))
  return company
}

async function makeStaff(transaction: Transaction, world: World, companyId: number): Promise<void> {
  const papers = ofRecords('clients', 'contacts', 'estimates', 'invoices')
  await createDemoAccount(transaction, world, companyId, { ...bookkeeper, permissions: papers })

  // Femi could change projects once, and has lost the right to.
  const held = ofRecords('projects', 'workers', 'equipment', 'tasks', 'time_entries', 'equipment_logs')
  const femi = await createDemoAccount(transaction, world, companyId, { ...foreman, permissions: held })
  const left = held.filter((code) => code !== permission('projects', 'EDIT'))
  await setAccount(transaction, companyId, femi.id, { permissions: left })
}

const ofRecords = (...records: string[]): string[] =>
  records.flatMap((name) => [permission(name, 'VIEW'), permission(name, 'EDIT'), permission(name, 'DELETE')])
