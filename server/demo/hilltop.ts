import type { CompanyRow } from '#derive/queries/office.ts'
import { permissions } from '#registry/permissions.ts'
import { createAccount } from '../service/account.ts'
import { operator } from '../service/actor.ts'
import { createCompany } from '../service/company.ts'
import { issueToken } from '../service/token.ts'
import type { Transaction } from '../store/database.ts'
import type { World } from '../world.ts'
import { calendarFrom } from './calendar.ts'
import { handOf, turn } from './hand.ts'
import { demoOwners } from './people.ts'
import { addressOf, emailOf, phoneOf, plain } from './places.ts'

/** Hilltop Roofing: small, on the smallest plan, with two places left for projects and no add-on but the API. */
export async function makeHilltop(transaction: Transaction, { clock, secret }: World): Promise<CompanyRow> {
  const company = await createCompany(transaction, {
    name: 'Hilltop Roofing',
    plan: 'STARTER',
    addOns: ['api'],
    isDemo: true,
  })
  const hal = await createAccount(transaction, company.id, { ...demoOwners[1], permissions })
  await issueToken(transaction, operator(company.id), secret, {
    accountId: hal.id,
    label: 'Demo',
    scopes: 'all',
    allowlist: [],
  })

  const { day } = calendarFrom(clock.now())
  const hand = handOf(transaction, company.id)
  const tradeIds = await hand.make(
    'trades',
    trades.map((name) => ({ name })),
  )
  const categoryIds = await hand.make(
    'categories',
    categories.map((name) => ({ name, kind: 'project' })),
  )
  const clientIds = await hand.make(
    'clients',
    clients.map((name, index) => ({
      name,
      email: emailOf('office', plain(name)),
      phone: phoneOf(802, index),
      billing_address: addressOf(index + 2),
      payment_terms_days: 30,
    })),
  )
  const workerIds = await hand.make(
    'workers',
    workers.map((name, index) => ({
      name,
      employee_no: String(index + 1),
      phone: phoneOf(802, 20 + index),
      trade_id: turn(tradeIds, index),
      employment_type: index % 6 === 5 ? 'APPRENTICE' : 'EMPLOYEE',
      hired_on: day(-120 - index * 190),
      hourly_cost_minor: 2600 + (index % 5) * 350,
      bill_rate_minor: 4900 + (index % 5) * 600,
    })),
  )
  await hand.make(
    'projects',
    roofs.map((name, index) => ({
      name,
      status: turn(['ACTIVE', 'COMPLETED', 'BIDDING', 'ACTIVE', 'COMPLETED'], index),
      client_id: turn(clientIds, index),
      category_id: turn(categoryIds, index),
      manager_id: turn(workerIds.slice(0, 2), index),
      address: addressOf(index + 20),
      start_date: day(-200 + index * 11),
      end_date: day(-180 + index * 11),
      contract_minor: 840_000 + index * 137_500,
    })),
  )
  return company
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
