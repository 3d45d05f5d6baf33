import { dayIn } from '#derive/company-day.ts'
import { fieldPermissions, permission } from '#registry/permissions.ts'
import { addOns } from '#registry/subscription.ts'
import type { CompanyRow } from '#sql/system/companies.ts'
import type { App } from '../../app.ts'
import { setAccount } from '../../service/account.ts'
import type { Transaction } from '../../store/database.ts'
import { bookkeeper, createDemoAccount, createDemoCompany, demoOwners, foreman } from '../accounts.ts'
import { addressOf, demoZone, phoneOf } from '../places.ts'
import { type Calendar, calendarFrom, createSeeder, finder, type Seeder } from '../seeder.ts'
import { contracts, equipmentLogBodies, invoices, taskBodies, timeEntryBodies } from './books.ts'
import { blockedClient, type Client, clientBodies, clients, contactBodies } from './clients.ts'
import { equipmentBodies } from './equipment.ts'
import { estimates } from './estimates.ts'
import { clientCategories, equipmentCategories, projectCategories, type Trade, trades } from './lists.ts'
import { projectBodies, projects } from './projects.ts'
import { subcontractorBodies, subcontractors } from './subcontractors.ts'
import { tiers, workerBodies } from './workers.ts'

/** Harbor Masonry: a mason’s firm in the middle of its work, with everything switched on. */
export async function createHarbor(transaction: Transaction, app: App): Promise<CompanyRow> {
  const facts = { fields: harbor, plan: 'PRO', addOns }
  const company = await createDemoCompany(transaction, app, facts, demoOwners[0])
  await createStaff(transaction, app, company.id)
  await createRecords(createSeeder(transaction, company.id), calendarFrom(dayIn(demoZone, app.clock.now())))
  return company
}

/** What its papers show, and its forms begin with. */
const harbor = {
  name: 'Harbor Masonry',
  time_zone: demoZone,
  address: addressOf(3),
  tax_id: '01-2345678',
  email: 'office@harbor.example',
  phone: phoneOf(207, 99),
  website: 'https://harbor.example',
  bank_name: 'First Coast Bank, routing 011200000, account 4455667',
  payment_terms_days: 30,
  valid_days: 45,
  tax_pct: 5.5,
  paper_language: 'en',
  footer: 'Harbor Masonry is licensed in Maine. Please give the number of the invoice when you pay.',
}

async function createStaff(transaction: Transaction, app: App, companyId: number): Promise<void> {
  const documents = ofRecords('clients', 'contacts', 'estimates', 'invoices', 'payments')
  await createDemoAccount(transaction, app, companyId, {
    ...bookkeeper,
    permissions: [...documents, ...fieldPermissions],
  })

  // Femi has lost the right to change projects. He is the only one who sees no pay, amounts or tax numbers, and others
  // approve the hours that he enters.
  const held = ofRecords('projects', 'workers', 'equipment', 'tasks', 'time_entries', 'equipment_logs')
  const femi = await createDemoAccount(transaction, app, companyId, { ...foreman, permissions: held })
  const left = held.filter((code) => code !== permission('projects', 'EDIT'))
  await setAccount(transaction, companyId, femi.id, { permissions: left })
}

const ofRecords = (...records: string[]): string[] =>
  records.flatMap((name) => [permission(name, 'VIEW'), permission(name, 'EDIT'), permission(name, 'DELETE')])

/** Creates records of every resource, each after the resources that it refers to. */
async function createRecords(seeder: Seeder, calendar: Calendar): Promise<void> {
  const tradeId = await seeder.makeNamed<Trade>('trades', trades)
  const workers = await createWorkers(seeder, tradeId, calendar)
  const clientId = await createClients(seeder)
  const projectIds = await createProjects(seeder, clientId, workers.leads, calendar)
  const subcontractorIds = await seeder.make('subcontractors', subcontractorBodies(tradeId, calendar))

  const pieces = equipmentBodies(
    {
      categoryId: await seeder.makeNamed('categories', equipmentCategories, { kind: 'equipment' }),
      projectIds: projectIds.filter((_, index) => projects[index]?.status === 'ACTIVE'),
      workerIds: workers.atWork,
      rentalIds: subcontractorIds.filter((_, index) => subcontractors[index]?.[1] === 'Equipment rental'),
    },
    calendar,
  )
  const ids = {
    clientId,
    projects: projectIds,
    crew: workers.atWork,
    subcontractors: subcontractorIds,
    estimates: await seeder.makeDocuments('estimates', estimates(clientId, projectIds, calendar)),
    equipment: await seeder.make('equipment', pieces),
  }
  const pieceProjects = pieces.map(({ project_id }) => project_id as number | null)
  await seeder.make('tasks', taskBodies(ids))
  await seeder.make('time_entries', timeEntryBodies(ids, calendar))
  await seeder.make('equipment_logs', equipmentLogBodies(ids, pieceProjects, calendar))
  const bills = invoices(ids, calendar)
  const invoiceIds = await seeder.makeDocuments('invoices', bills)
  const paid = bills.flatMap(({ paid }, place) => (paid ? [{ ...paid, invoice_id: invoiceIds[place] as number }] : []))
  // One is of a transfer that the bank took back.
  const [first] = paid
  const returned = first ? [{ body: { ...first, reference: 'Returned' }, states: ['VOID'] }] : []
  await seeder.makeDocuments('payments', [...paid.map((body) => ({ body, states: [] })), ...returned])
  await seeder.makeDocuments('contracts', contracts(ids, calendar))
}

/** Creates the workers. `leads` are those of all tiers but the last, `atWork` those of the last who work at present. */
async function createWorkers(seeder: Seeder, tradeId: (trade: Trade) => number, calendar: Calendar) {
  const leads: number[] = []
  let supervisors: number[] = []
  let atWork: number[] = []
  for (const tier of tiers) {
    leads.push(...supervisors)
    const bodies = workerBodies({ ...tier, tradeId, supervisors, before: leads.length }, calendar)
    supervisors = await seeder.make('workers', bodies)
    atWork = supervisors.filter((_, index) => bodies[index]?.status === undefined)
  }
  return { leads, atWork }
}

async function createClients(seeder: Seeder): Promise<(client: Client) => number> {
  const categoryId = await seeder.makeNamed('categories', clientCategories, { kind: 'client' })
  const ids = await seeder.make('clients', clientBodies(categoryId))
  await seeder.make('contacts', contactBodies(ids))
  const names = clients.map(([name]) => name)
  return finder<Client>(names, ids)
}

async function createProjects(
  seeder: Seeder,
  clientId: (client: Client) => number,
  managerIds: readonly number[],
  calendar: Calendar,
): Promise<number[]> {
  const categoryId = await seeder.makeNamed('categories', projectCategories, { kind: 'project' })
  const ids = await seeder.make('projects', projectBodies({ clientId, categoryId, managerIds }, calendar))
  // Last, because a blocked client gets no new project.
  await seeder.change('clients', clientId(blockedClient.client), { status: 'BLOCKED', notes: blockedClient.notes })
  return ids
}
