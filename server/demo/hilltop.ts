import { dayIn } from '#derive/company-day.ts'
import type { CompanyRow } from '#sql/system/companies.ts'
import type { App } from '../app.ts'
import type { Transaction } from '../store/database.ts'
import { createDemoCompany, demoOwners } from './accounts.ts'
import { addressOf, demoZone, emailOf, formatSlug, phoneOf } from './places.ts'
import { type Calendar, calendarFrom, createSeeder, type Seeder, turn } from './seeder.ts'

/** Hilltop Roofing: small, on the smallest plan, with two places left for projects and no add-on but the API. */
export async function createHilltop(transaction: Transaction, app: App): Promise<CompanyRow> {
  const fields = { name: 'Hilltop Roofing', time_zone: demoZone }
  const facts = { fields, plan: 'STARTER', addOns: ['api'] }
  const company = await createDemoCompany(transaction, app, facts, demoOwners[1])
  await createRecords(createSeeder(transaction, company.id), calendarFrom(dayIn(demoZone, app.clock.now())))
  return company
}

async function createRecords(seeder: Seeder, { day }: Calendar): Promise<void> {
  const tradeId = await seeder.makeNamed('trades', trades)
  const categoryId = await seeder.makeNamed('categories', categories, { kind: 'project' })
  const clientBodies = clients.map((name, index) => ({
    name,
    email: emailOf('office', formatSlug(name)),
    phone: phoneOf(802, index),
    billing_address: addressOf(index + 2),
    payment_terms_days: 30,
  }))
  const clientIds = await seeder.make('clients', clientBodies)
  const workerBodies = workers.map((name, index) => ({
    name,
    employee_no: String(index + 1),
    phone: phoneOf(802, 20 + index),
    trade_id: tradeId(turn(trades, index)),
    employment_type: index % 6 === 5 ? 'APPRENTICE' : 'EMPLOYEE',
    hired_on: day(-120 - index * 190),
    hourly_cost_minor: 2600 + (index % 5) * 350,
    bill_rate_minor: 4900 + (index % 5) * 600,
  }))
  const managerIds = (await seeder.make('workers', workerBodies)).slice(0, 2)
  const projectBodies = roofs.map((name, index) => ({
    name,
    status: index < 12 ? 'COMPLETED' : index < 19 ? 'ACTIVE' : 'BIDDING',
    client_id: turn(clientIds, index),
    category_id: categoryId(turn(categories, index)),
    manager_id: turn(managerIds, index),
    address: addressOf(index + 20),
    start_date: day(-170 + index * 11),
    end_date: day(-132 + index * 11),
    contract_minor: 840_000 + index * 137_500,
  }))
  await seeder.make('projects', projectBodies)
}

const trades = ['Roofer', 'Slater', 'Sheet metal worker', 'Carpenter', 'Laborer']
const categories = ['Reroof', 'Repair', 'Gutters', 'Skylight']

const clients = [
  ...['Juniper Court Apartments', 'Hilltop Grange', 'Barlow Dairy', 'Village of Underhollow'],
  ...['Sugarbush Inn', 'Nils and Petra Aas', 'Corner Books', 'Wheelwright Garage'],
]

const workers = [
  ...['Hal Whitcombe', 'Marta Kline', 'Duncan Bligh', 'Esi Amponsah', 'Roy Pelletier', 'Tove Lund', 'Abel Ruiz'],
  ...['Cass Monroe', 'Jonas Weber', 'Keisha Grant', 'Liam Farrow', 'Mina Sato', 'Piotr Zielinski', 'Sol Avery'],
]

/** 23 of the 25 projects that the plan holds. */
const roofs = [
  ...['Juniper Court, house A', 'Grange hall slates', 'Dairy barn reroof', 'Village office gutters', 'Inn, south roof'],
  ...['Aas skylights', 'Bookshop flat roof', 'Garage leak', 'Juniper Court, house B', 'Grange porch', 'Milking parlor'],
  ...['Fire station gutters', 'Inn, kitchen vents', 'Aas woodshed', 'Bookshop dormer', 'Garage annex'],
  ...['Juniper Court, house C', 'Grange bell cote', 'Silo cap', 'Library roof survey', 'Inn, carriage house'],
  ...['Aas chimney flashing', 'Juniper Court, house D'],
]
