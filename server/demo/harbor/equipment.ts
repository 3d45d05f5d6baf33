import type { JsonObject } from '#registry/json.ts'
import { type Calendar, turn } from '../seeder.ts'
import type { EquipmentCategory } from './lists.ts'

type EquipmentRow = readonly [
  name: string,
  category: EquipmentCategory,
  make: string,
  model: string,
  price: number,
  rented?: true,
]

/** Two of each; the price is in dollars. */
const types: readonly EquipmentRow[] = [
  ['Mortar mixer 9 cu ft', 'Mixing', 'Tolland', 'M9', 4200],
  ['Grout pump', 'Mixing', 'Tolland', 'GP2', 9800],
  ['Silo mixer', 'Mixing', 'Bordway', 'S40', 15_500, true],
  ['Frame scaffold set', 'Access', 'Uprite', 'F100', 12_400],
  ['Mast climber', 'Access', 'Uprite', 'MC26', 48_000, true],
  ['Rolling tower', 'Access', 'Uprite', 'RT8', 3600],
  ['Masonry saw 14 in', 'Cutting', 'Keen & Sons', 'T14', 2900],
  ['Masonry saw 20 in', 'Cutting', 'Keen & Sons', 'T20', 4700],
  ['Stone splitter', 'Cutting', 'Pemaquay', 'SP60', 8800],
  ['Core drill', 'Cutting', 'Keen & Sons', 'D5', 1900],
  ['Telehandler', 'Lifting', 'Bordway', 'TH7', 86_000],
  ['Block clamp', 'Lifting', 'Grasp', 'BC4', 1400],
  ['Brick hoist', 'Lifting', 'Grasp', 'H200', 6300],
  ['Mini crane', 'Lifting', 'Kestrel', 'MK3', 64_000, true],
  ['Mini excavator 1.8 t', 'Earthwork', 'Dunlin', 'E18', 31_000],
  ['Plate compactor', 'Earthwork', 'Dunlin', 'PC90', 2100],
  ['Skid steer', 'Earthwork', 'Dunlin', 'SK65', 44_000, true],
  ['Flatbed truck', 'Transport', 'Marlow', 'F550', 58_000],
  ['Crew van', 'Transport', 'Marlow', 'V12', 39_000],
  ['Tilt trailer', 'Transport', 'Marlow', 'T16', 7200],
]

type Status = 'ACTIVE' | 'IN_USE' | 'MAINTENANCE' | 'RETIRED'

/** The states of the pieces in turn: about half of them are out on a project. */
const turns: readonly Status[] = [
  ...(['IN_USE', 'ACTIVE', 'IN_USE', 'IN_USE', 'MAINTENANCE', 'ACTIVE', 'IN_USE'] as const),
  ...(['ACTIVE', 'IN_USE', 'RETIRED', 'IN_USE', 'ACTIVE', 'MAINTENANCE'] as const),
]

export type Piece = { name: string; type: EquipmentRow; status: Status; number: number }

export const pieces: readonly Piece[] = types
  .flatMap((type) => [1, 2].map((unit) => ({ name: `${type[0]}, no. ${unit}`, type })))
  .map((piece, index) => ({ ...piece, status: turn(turns, index), number: index + 1 }))

type References = {
  categoryId: (category: EquipmentCategory) => number
  projectIds: readonly number[]
  workerIds: readonly number[]
  rentalIds: readonly number[]
}

export const equipmentBodies = (
  { categoryId, projectIds, workerIds, rentalIds }: References,
  calendar: Calendar,
): JsonObject[] =>
  pieces.map(({ name, type: [, category, make, model, price, rented], status, number }) => ({
    name,
    code: `EQ-${String(number).padStart(3, '0')}`,
    status,
    category_id: categoryId(category),
    make,
    model,
    year: calendar.year - 1 - (number % 9),
    serial_number: `${model}-${70_000 + number * 419}`,
    ownership: rented ? (number % 2 === 0 ? 'LEASED' : 'RENTED') : 'OWNED',
    daily_rate_minor: Math.max(1500, Math.round(price * 0.6)),
    meter_hours: (number * 137.5) % 4000,
    next_service_on: calendar.day(((number * 13) % 120) - 6),
    ...(rented ? { supplier_id: turn(rentalIds, number) } : createPurchase(number, price, calendar)),
    ...(status === 'IN_USE' ? { project_id: turn(projectIds, number), worker_id: turn(workerIds, number * 5) } : {}),
    ...(status === 'MAINTENANCE' ? { notes: 'In the workshop; waits for a part.' } : {}),
  }))

const createPurchase = (number: number, price: number, calendar: Calendar): JsonObject => ({
  purchase_date: calendar.day(-365 * (1 + (number % 9)) + number),
  purchase_price_minor: price * 100,
})
