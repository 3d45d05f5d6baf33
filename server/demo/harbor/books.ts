import type { JsonObject } from '#registry/json.ts'
import { type BusinessDocument, type Calendar, statesTo, turn } from '../seeder.ts'
import type { Client } from './clients.ts'
import { pieces } from './equipment.ts'
import { priceOf } from './prices.ts'
import { projects, type Status } from './projects.ts'

/** The bookings of the projects: history that is protected from deletion. */

type Ids = {
  clientId: (client: Client) => number
  /** In the order of `projects`. */
  projects: readonly number[]
  estimates: readonly number[]
  crew: readonly number[]
  subcontractors: readonly number[]
  equipment: readonly number[]
}

const inState = (...states: Status[]) =>
  projects.map((project, index) => ({ project, index })).filter(({ project }) => states.includes(project.status))

const doneSteps = ['Survey the site', 'Agree the mortar sample with the client', 'Set out']
const openSteps = [
  'Order coping stones',
  'Book the scaffold inspection',
  'Repair the north corner',
  'Photograph for the file',
  'Clean down',
]

export const taskBodies = (ids: Ids): JsonObject[] =>
  inState('ACTIVE', 'ON_HOLD', 'BIDDING').flatMap(({ project, index }) => {
    const task = (title: string, done: boolean) => ({ project_id: ids.projects[index] as number, title, done })
    if (project.status === 'BIDDING')
      return [task('Walk the site', index % 2 === 0), task('Ask for three stone prices', false)]
    return [
      task(turn(doneSteps, index), true),
      task(turn(openSteps, index), false),
      task(turn(openSteps, index + 2), false),
    ]
  })

/** Two workers on each active project, a day of each week, the last not approved yet; a day on each finished one. */
export function timeEntryBodies(ids: Ids, calendar: Calendar): JsonObject[] {
  const entry = (index: number, person: number, day: number, status: string) => ({
    worker_id: turn(ids.crew, person),
    project_id: ids.projects[index] as number,
    worked_on: calendar.workday(day),
    hours: turn([8, 7.5, 8.5, 6], index + person),
    status,
  })
  const active = inState('ACTIVE').flatMap(({ project, index }, place) =>
    [-22, -15, -8, -1]
      .filter((day) => day > project.start)
      .flatMap((day) => [0, 1].map((one) => entry(index, place * 2 + one, day, day === -1 ? 'DRAFT' : 'APPROVED'))),
  )
  const done = inState('COMPLETED').flatMap(({ project, index }, place) =>
    [0, 1].map((one) => entry(index, place * 2 + one, project.start + 10, 'APPROVED')),
  )
  return [...active, ...done]
}

/** An invoice, and what is paid of it on which day. */
type Bill = BusinessDocument & { paid?: { amount_minor: number; paid_on: string; method: string } }

/** A deposit when work begins, the rest at its end. All begin as drafts; the oldest have the lowest numbers. */
export function invoices(ids: Ids, calendar: Calendar): Bill[] {
  const invoice = (index: number, day: number, share: number, status: 'DRAFT' | 'ISSUED' | 'PAID' | 'VOID') => {
    const project = projects[index] as (typeof projects)[number]
    const dates = status === 'DRAFT' ? {} : { issued_on: calendar.workday(day), due_on: calendar.day(day + 30) }
    const of = { client_id: ids.clientId(project.client), project_id: ids.projects[index] as number }
    const description = share < 1 ? `${Math.round(share * 100)} % of ${project.name}` : project.name
    const amount_minor = Math.round(priceOf(project) * share)
    const lines = [{ description, unit_price_minor: amount_minor }]
    const paid_on = calendar.workday(Math.min(day + 12 + (index % 30), -1))
    return {
      day,
      states: statesTo(status === 'PAID' ? 'ISSUED' : status, 'ISSUED'),
      ...(status === 'PAID' && {
        paid: { amount_minor, paid_on, method: turn(['TRANSFER', 'CHEQUE', 'TRANSFER'], index) },
      }),
      body: { ...of, estimate_id: ids.estimates[index] as number, ...dates, lines },
    }
  }
  const isBlocked = (client: Client) => client === 'Redfern Property Group'
  const deposits = inState('ACTIVE', 'ON_HOLD', 'COMPLETED').map(({ project, index }) =>
    invoice(index, project.start + 3, 0.3, project.start < -45 ? 'PAID' : 'ISSUED'),
  )
  const progress = inState('ACTIVE')
    .filter(({ project }) => project.percent >= 40)
    .map(({ index }) => invoice(index, -1, 0.2, 'DRAFT'))
  const finals = inState('COMPLETED').map(({ project, index }) =>
    invoice(index, project.start + project.days, 0.7, isBlocked(project.client) || index % 4 === 0 ? 'ISSUED' : 'PAID'),
  )
  const wrong = inState('COMPLETED')
    .slice(0, 2)
    .map(({ project, index }) => invoice(index, project.start + project.days - 5, 0.75, 'VOID'))
  const whole = inState('ARCHIVED').map(({ project, index }) => invoice(index, project.start + project.days, 1, 'PAID'))
  return [...deposits, ...progress, ...finals, ...wrong, ...whole].sort((one, other) => one.day - other.day)
}

const contracted = ['Scaffold, all elevations', 'Crane days', 'Site lighting', 'Reinforcement', 'Granite, cut to list']

export const contracts = (ids: Ids, calendar: Calendar): BusinessDocument[] =>
  inState('ACTIVE', 'COMPLETED').map(({ project, index }) => {
    const status = project.status === 'COMPLETED' ? 'CLOSED' : index % 4 === 0 ? 'DRAFT' : 'SIGNED'
    const body = {
      // The first five subcontractors do the contracted work, in that order.
      subcontractor_id: ids.subcontractors[index % contracted.length] as number,
      project_id: ids.projects[index] as number,
      title: turn(contracted, index),
      amount_minor: Math.round(priceOf(project) * 0.12),
      ...(status === 'DRAFT' ? {} : { signed_on: calendar.workday(project.start - 10) }),
    }
    return { states: statesTo(status, 'SIGNED'), body }
  })

/** Two days of use of each piece that is out, the older one billed; a service of each that is not. */
export const equipmentLogBodies = (ids: Ids, pieceProjects: readonly (number | null)[], calendar: Calendar) =>
  pieces.flatMap(({ status, number }, index) => {
    const equipment_id = ids.equipment[index] as number
    const project_id = pieceProjects[index] ?? null
    if (status !== 'IN_USE') {
      return [{ equipment_id, logged_on: calendar.workday(-number * 4), hours: 1.5, type: 'SERVICE' }]
    }
    const use = { equipment_id, project_id, type: 'USAGE' }
    return [
      { ...use, logged_on: calendar.workday(-16), hours: 6, billed: true },
      { ...use, logged_on: calendar.workday(-2), hours: 4.5 },
    ]
  })
