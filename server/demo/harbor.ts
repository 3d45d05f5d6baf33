import type { CompanyRow } from '#derive/queries/office.ts'
import { addOns } from '#registry/add-ons.ts'
import { permission, permissions } from '#registry/permissions.ts'
import { createAccount, setAccount } from '../service/account.ts'
import { operator } from '../service/actor.ts'
import { createCompany } from '../service/company.ts'
import { issueToken } from '../service/token.ts'
import type { Transaction } from '../store/database.ts'
import type { World } from '../world.ts'
import { calendarFrom } from './calendar.ts'
import { handOf } from './hand.ts'
import { makeRecords } from './harbor/records.ts'
import { bookkeeper, demoOwners, foreman } from './people.ts'

/** Harbor Masonry: a mason’s firm in the middle of its work, with everything switched on. */
export async function makeHarbor(transaction: Transaction, { clock, secret }: World): Promise<CompanyRow> {
  const company = await createCompany(transaction, { name: 'Harbor Masonry', plan: 'PRO', addOns, isDemo: true })
  const ada = await createAccount(transaction, company.id, { ...demoOwners[0], permissions })
  const token = { accountId: ada.id, label: 'Demo', scopes: 'all', allowlist: [] } as const
  await issueToken(transaction, operator(company.id), secret, token)
  await makeStaff(transaction, company.id)
  await makeRecords(handOf(transaction, company.id), calendarFrom(clock.now()))
  return company
}

async function makeStaff(transaction: Transaction, companyId: number): Promise<void> {
  const papers = ofRecords('clients', 'contacts', 'estimates', 'invoices')
  await createAccount(transaction, companyId, { ...bookkeeper, permissions: papers })

  // Femi could change projects once, and has lost the right to.
  const held = ofRecords('projects', 'workers', 'equipment', 'tasks', 'time_entries', 'equipment_logs')
  const femi = await createAccount(transaction, companyId, { ...foreman, permissions: held })
  const left = held.filter((code) => code !== permission('projects', 'EDIT'))
  await setAccount(transaction, companyId, femi.id, { permissions: left })
}

const ofRecords = (...records: string[]): string[] =>
  records.flatMap((name) => [permission(name, 'VIEW'), permission(name, 'EDIT'), permission(name, 'DELETE')])
