import type { JsonObject } from '#registry/json.ts'
import { addressOf, emailOf, formatSlug, phoneOf } from '../places.ts'
import { type Calendar, turn } from '../seeder.ts'
import type { Trade } from './lists.ts'

type SubcontractorRow = readonly [
  name: string,
  trade: Trade,
  contact: string,
  insuranceDays: number,
  rating: number | null,
  status?: string,
]

/** `insuranceDays`: how long the insurance still runs. Five of them lapse within a month, two have lapsed. */
export const subcontractors: readonly SubcontractorRow[] = [
  ['Cormorant Scaffolding', 'Scaffolder', 'Rhys Powell', 9, 5],
  ['Anvil Crane Hire', 'Crane hire', 'Greta Holm', 18, 4],
  ['Brightwire Electric', 'Electrician', 'Desmond Achterberg', 140, 4],
  ['Eastbay Steel Fixing', 'Steel fixer', 'Luz Montoya', 27, 3],
  ['Pemaquay Granite', 'Stone supplier', 'Walt Sorensen', 210, 5],
  ['Tidal Equipment Rental', 'Equipment rental', 'Faye Lindholm', 320, 4],
  ['Dry Cellar Waterproofing', 'Waterproofer', 'Anton Reiss', 14, 4],
  ['Plumb and True Carpentry', 'Carpenter', 'Maeve Galloway', 95, 5],
  ['Level Best Surveying', 'Surveyor', 'Hugo Castellanos', 260, 5],
  ['Slate Point Concrete', 'Concrete finisher', 'Irene Mbeki', 3, 3],
  ['Northway Scaffold', 'Scaffolder', 'Curtis Doane', -12, 2, 'BLOCKED'],
  ['Three Rivers Stone', 'Stone supplier', 'Marisol Vega', 181, 4],
  ['Kestrel Lifting', 'Crane hire', 'Jonah Brandvold', 77, 4],
  ['Bluff Road Rental', 'Equipment rental', 'Alma Quist', 350, 3],
  ['Ironwood Rebar', 'Steel fixer', 'Pavel Horak', 122, 4],
  ['Lanternlight Electric', 'Electrician', 'Sadie Crowe', 64, null, 'PENDING'],
  ['Old Harbor Lime', 'Stone supplier', 'Eamon Keane', 199, 5],
  ['Seawall Pointing', 'Pointer', 'Noor Rahimi', 45, null, 'PENDING'],
  ['Mason Bee Restoration', 'Stonemason', 'Odile Fontaine', 240, 5],
  ['Gannet Demolition', 'Laborer', 'Barry Stokes', -45, 2, 'INACTIVE'],
]

const insurers = ['Mutual of Saltmarsh', 'Coastline Casualty', 'Granite Surety']

export const subcontractorBodies = (tradeId: (trade: Trade) => number, calendar: Calendar): JsonObject[] =>
  subcontractors.map(([name, trade, contact, insuranceDays, rating, status = 'ACTIVE'], index) => ({
    name,
    status,
    trade_id: tradeId(trade),
    contact_name: contact,
    email: emailOf(contact, formatSlug(name)),
    phone: phoneOf(401, index),
    tax_id: `00-${7720115 + index * 911}`,
    license_number: `ME-${50_200 + index * 37}`,
    license_expires_on: calendar.day(insuranceDays + 120),
    insurance_provider: turn(insurers, index),
    insurance_policy_no: `GL-${330 + index * 7}-${10 + index}`,
    insurance_expires_on: calendar.day(insuranceDays),
    retention_pct: index % 3 === 0 ? 10 : 5,
    payment_terms_days: index % 2 === 0 ? 30 : 45,
    rating,
    address: addressOf(index + 40),
    ...(insuranceDays < 0 ? { notes: 'No work until the new insurance certificate is here.' } : {}),
  }))
