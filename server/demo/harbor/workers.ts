import type { JsonObject } from '#registry/json.ts'
import { foreman } from '../accounts.ts'
import { emailOf, phoneOf } from '../places.ts'
import { type Calendar, turn } from '../seeder.ts'
import type { Trade } from './lists.ts'

const managers = ['Ruth Calder', 'Tomás Herrera', 'Ingrid Solheim']

const foremen = [foreman.name, 'Declan Moriarty', 'Wanda Kowalczyk', 'Sione Tuala']

const crew = [
  ...['Amara Osei', 'Ben Thackeray', 'Carlos Benítez', 'Dana Petrov', 'Eli Rosenthal', 'Fatima Idrissi'],
  ...['Gus Lindgren', 'Hana Kobayashi', 'Ivo Marković', 'Jamal Whitfield', 'Kofi Mensah', 'Lena Fischer'],
  ...['Marco Bellini', 'Nadia Haddad', 'Owen Pritchard', 'Priya Raman', 'Quentin Abara', 'Rosa Delgado'],
  ...['Sam Fairweather', 'Tariq Mahmood', 'Uma Nair', 'Viktor Sokolov', 'Will Standish', 'Ximena Cruz'],
  ...['Yusuf Demir', 'Zofia Nowak', 'Arlo Beckett', 'Bich Nguyen', 'Cormac Doyle', 'Delphine Moreau'],
  ...['Emeka Nwosu', 'Freya Halvorsen', 'Gideon Tate', 'Helen Papadakis', 'Isaac Boateng', 'Joana Figueira'],
  ...['Kwame Adjei', 'Lars Nyström'],
]

/** The trades of the crew, in turn. A more common trade occurs more often. */
const crewTrades: readonly Trade[] = [
  ...(['Bricklayer', 'Stonemason', 'Laborer', 'Block layer', 'Pointer', 'Bricklayer', 'Laborer'] as const),
  ...(['Concrete finisher', 'Scaffolder', 'Stonemason', 'Equipment operator', 'Carpenter', 'Waterproofer'] as const),
]

/** The workers in three tiers: those of a tier supervise those of the next. */
export const tiers: readonly Pick<Tier, 'names' | 'tradeAt'>[] = [
  { names: managers, tradeAt: () => 'Site manager' },
  { names: foremen, tradeAt: () => 'Foreman' },
  { names: crew, tradeAt: (index) => turn(crewTrades, index) },
]

/** Cents that an hour costs. It is billed at 1.8 times that. */
const hourlyCost: { readonly [T in Trade]?: number } = {
  'Site manager': 5800,
  Foreman: 4700,
  Stonemason: 4150,
  Bricklayer: 3900,
  'Equipment operator': 3850,
  Carpenter: 3700,
  'Block layer': 3600,
  'Concrete finisher': 3550,
  Waterproofer: 3500,
  Pointer: 3450,
  Scaffolder: 3400,
  Laborer: 2450,
}

type Tier = {
  names: readonly string[]
  tradeAt: (index: number) => Trade
  tradeId: (trade: Trade) => number
  /** The supervisors of the tier. Empty for the first one. */
  supervisors: readonly number[]
  /** Number of workers before this tier. */
  before: number
}

export const workerBodies = (
  { names, tradeAt, tradeId, supervisors, before }: Tier,
  calendar: Calendar,
): JsonObject[] =>
  names.map((name, index) => {
    const number = before + index + 1
    const cost = hourlyCost[tradeAt(index)] ?? 3000
    return {
      name,
      employee_no: `W-${String(100 + number)}`,
      email: emailOf(name, 'crew.harbor-masonry'),
      phone: phoneOf(207, number),
      trade_id: tradeId(tradeAt(index)),
      supervisor_id: supervisors.length === 0 ? null : turn(supervisors, index),
      hired_on: calendar.day(-200 - ((number * 211) % 3600)),
      hourly_cost_minor: cost,
      bill_rate_minor: Math.round((cost * 1.8) / 50) * 50,
      ...employment(number, calendar),
    }
  })

/** Returns the employment of a worker. Most are employed and at work; some are learning, on leave or have left. */
function employment(number: number, calendar: Calendar): JsonObject {
  if (number % 15 === 0)
    return { employment_type: 'EMPLOYEE', status: 'LEFT', left_on: calendar.day(-number), notes: 'Moved inland.' }
  if (number % 13 === 0) return { employment_type: 'EMPLOYEE', status: 'ON_LEAVE', notes: 'Back next month.' }
  if (number % 11 === 0) return { employment_type: 'APPRENTICE' }
  if (number % 19 === 0) return { employment_type: 'CONTRACTOR', status: 'INACTIVE' }
  return { employment_type: number % 7 === 0 ? 'TEMPORARY' : 'EMPLOYEE' }
}
